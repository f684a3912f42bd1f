/** Which two runs, which split, which samples of both. */
import { type FormEvent, useState } from "react";
import type { RunInfo } from "../../api/types";
import { useKeys } from "../../state/useKeys";
import { go, useView } from "../../state/view";
import { Button } from "../../ui/Button";
import { ChoiceMenu } from "../../ui/menus/ChoiceMenu";
import { FilterTextBox } from "../../ui/TextBox";
import page from "../InsightsPage.module.css";
import { CopyCommand, options } from "../parts/CopyCommand";
import { SideMark } from "../parts/SideMark";

interface CompareFormProps {
  run: RunInfo;
  runs: readonly RunInfo[];
  chosen: RunInfo | null;
}

export function CompareForm({ run, runs, chosen }: CompareFormProps) {
  const { other, split, where } = useView();
  const [filter, setFilter] = useState(where);
  const show = (a: string, b: string): void => go({ run: a, split, where, other: { tab: "compare", against: b } });
  const apply = (wanted: string): void => go({ where: wanted.trim(), other });
  const swap = (): void => {
    if (chosen) show(chosen.id, run.id);
  };
  useKeys({ "failing-turn": swap });
  const nameOf = ({ name }: RunInfo): string => name;
  return (
    <form
      className={page.bar}
      aria-label="Runs to compare"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        apply(filter);
      }}
    >
      <SideMark side="a" />
      <ChoiceMenu
        label="Run A"
        items={runs.filter(({ id }) => id !== chosen?.id)}
        nameOf={nameOf}
        isChosen={({ id }) => id === run.id}
        onChoose={({ id }) => show(id, chosen?.id ?? "")}
        button={{ children: run.name, "aria-label": `Run A: ${run.name}` }}
      />
      <Button
        type="button"
        quiet
        icon="swap"
        aria-label="Swap A and B (x)"
        title="Swap A and B (x)"
        disabled={chosen === null}
        onClick={swap}
      />
      <SideMark side="b" />
      <ChoiceMenu
        label="The other run"
        items={runs.filter(({ id }) => id !== run.id)}
        nameOf={nameOf}
        isChosen={({ id }) => id === chosen?.id}
        onChoose={({ id }) => show(run.id, id)}
        button={{ children: chosen?.name ?? "choose a run" }}
      />
      <ChoiceMenu
        label="Split"
        items={[null, ...run.splits.map(({ split }) => split)]}
        nameOf={(name) => name ?? "all that both runs have"}
        isChosen={(name) => name === split}
        onChoose={(name) => go({ split: name, other })}
        button={{ children: split ? `split ${split}` : "all splits" }}
      />
      <FilterTextBox
        label="Filter of both runs"
        example="filter for both: env = &quot;math&quot;"
        value={filter}
        onType={setFilter}
        onClear={() => apply("")}
      />
      <Button type="submit">Filter</Button>
      {chosen && (
        <span className={page.end}>
          <CopyCommand run={run.id} name="compare" words={options({ split, where })} other={chosen.id} />
        </span>
      )}
    </form>
  );
}
