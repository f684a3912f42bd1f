/** Any two samples, also of other steps and runs. */
import { type FormEvent, useState } from "react";
import type { RunInfo } from "../../api/types";
import { go, useView } from "../../state/view";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/States";
import { TextBox } from "../../ui/TextBox";
import page from "../InsightsPage.module.css";
import { openAddress } from "../parts/openSample";
import { SideMark } from "../parts/SideMark";
import DiffPane from "./DiffPane";

export function DiffView({ run }: { run: RunInfo }) {
  const view = useView();
  const { other } = view;
  const { a = openAddress(run, view), b = "" } = other;
  return (
    <>
      <AddressForm key={`${a} ${b}`} a={a} b={b} />
      {a === "" || b === "" ? (
        <Empty icon="side" title="Which two samples?">
          <p>
            Give two addresses, such as train/12/3 and train/40/3. Or press <kbd>d</kbd> on Rollouts, at one sample and
            then at another, of any step or run.
          </p>
        </Empty>
      ) : (
        <div className={page.whole}>
          <DiffPane run={run.id} a={a} b={b} against={other.against ?? null} />
        </div>
      )}
    </>
  );
}

function AddressForm({ a: first, b: second }: { a: string; b: string }) {
  const { other } = useView();
  const [a, setA] = useState(first);
  const [b, setB] = useState(second);
  return (
    <form
      className={page.bar}
      aria-label="Samples to compare"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        go({ other: { ...other, tab: "diff", a: a.trim(), b: b.trim() } });
      }}
    >
      <TextBox
        before={<SideMark side="a" />}
        aria-label="Address of A"
        placeholder="train/12/3"
        value={a}
        onType={setA}
      />
      <TextBox
        before={<SideMark side="b" />}
        aria-label="Address of B"
        placeholder="train/40/3"
        value={b}
        onType={setB}
      />
      <Button primary type="submit">
        Diff
      </Button>
    </form>
  );
}
