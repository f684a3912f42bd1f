/** Which sample a view starts from: its address, typed or of the open one, and the command that prints the same. */
import { type FormEvent, useState } from "react";
import { go } from "../../state/view";
import { Button } from "../../ui/Button";
import { TextBox } from "../../ui/TextBox";
import page from "../InsightsPage.module.css";
import { CopyCommand } from "./CopyCommand";

interface Props {
  run: string;
  /** The view, and the command of its name. */
  tab: "prompt";
  address: string;
  label: string;
  asks: string;
  submit: string;
}

export function AddressForm({ run, tab, address, label, asks, submit }: Props) {
  const [typed, setTyped] = useState(address);
  return (
    <form
      className={page.bar}
      aria-label={label}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        go({ other: { tab, address: typed.trim() } });
      }}
    >
      <TextBox aria-label={asks} placeholder="train/12/3" value={typed} onType={setTyped} />
      <Button primary type="submit">
        {submit}
      </Button>
      {address !== "" && (
        <span className={page.end}>
          <CopyCommand run={run} name={tab} words={[address]} />
        </span>
      )}
    </form>
  );
}
