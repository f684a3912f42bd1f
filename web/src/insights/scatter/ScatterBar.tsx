import { type FormEvent, useState } from "react";
import { fieldName } from "../../api/fields";
import { useSteps } from "../../api/hooks";
import type { RunInfo } from "../../api/types";
import { formatStepRange, parseStepRange, type StepRange } from "../../state/url";
import { go, useView } from "../../state/view";
import { Button } from "../../ui/Button";
import { ChoiceMenu } from "../../ui/menus/ChoiceMenu";
import { FilterTextBox } from "../../ui/TextBox";
import page from "../InsightsPage.module.css";
import styles from "./ScatterView.module.css";

const KEPT = "trained on";
const DISCARDED = "discarded";

interface ScatterBarProps {
  run: RunInfo;
  split: string;
  fields: readonly string[];
  /** null: the server chooses. */
  x: string | null;
  y: string;
}

/** Which samples, and which two of their fields. All of it is in the URL. */
export function ScatterBar({ run, split, fields, x, y }: ScatterBarProps) {
  const { other, steps, where } = useView();
  const known = useSteps(run.id, split).data;
  const all = known?.split === split ? known.steps : [];
  const whole: StepRange | null = all.length
    ? { first: all[0]?.step as number, last: all.at(-1)?.step as number }
    : null;
  const discarded = other.samples === DISCARDED;
  const set = (part: Record<string, string>): void => go({ other: { ...other, ...part } });
  return (
    <div className={page.bar}>
      <FieldMenu label="Upward" field={y} fields={fields} onField={(name) => set({ y: name })} />
      by
      <FieldMenu label="To the right" field={x} fields={fields} onField={(name) => set({ x: name })} />
      {run.splits.length > 1 && (
        <ChoiceMenu
          label="Split"
          items={run.splits.map(({ split: name }) => name)}
          nameOf={(name) => name}
          isChosen={(name) => name === split}
          onChoose={(name) => go({ split: name, steps: null, other })}
          button={{ children: `split ${split}` }}
        />
      )}
      {run.splits.some((each) => each.split === split && each.discarded > 0) && (
        <ChoiceMenu
          label="Samples"
          items={[KEPT, DISCARDED]}
          nameOf={(name) => name}
          isChosen={(name) => discarded === (name === DISCARDED)}
          onChoose={(name) => {
            const { samples: _, ...rest } = other;
            go({ other: name === DISCARDED ? { ...rest, samples: name } : rest });
          }}
          button={{ children: discarded ? DISCARDED : KEPT }}
        />
      )}
      <Narrowing
        key={`${where} ${steps} ${whole?.first} ${whole?.last}`}
        where={where}
        range={parseStepRange(steps ?? "") ?? whole}
        whole={whole}
      />
    </div>
  );
}

/** The steps and the filter of the list. */
function Narrowing({ where, range, whole }: { where: string; range: StepRange | null; whole: StepRange | null }) {
  const { other } = useView();
  const [filter, setFilter] = useState(where);
  const [first, setFirst] = useState(String(range?.first ?? ""));
  const [last, setLast] = useState(String(range?.last ?? ""));
  const apply = (wanted: string): void => {
    const [low, high] = [Number.parseInt(first, 10), Number.parseInt(last, 10)];
    const typed = {
      first: Number.isNaN(low) ? (whole?.first ?? 0) : low,
      last: Number.isNaN(high) ? (whole?.last ?? 0) : high,
    };
    const isAll =
      whole === null || typed.last < typed.first || (typed.first <= whole.first && typed.last >= whole.last);
    go({ where: wanted.trim(), steps: isAll ? null : formatStepRange(typed), other });
  };
  return (
    <form
      className={styles.narrowing}
      aria-label="Samples drawn"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        apply(filter);
      }}
    >
      <span className={styles.steps}>
        steps
        <input
          aria-label="First step"
          inputMode="numeric"
          value={first}
          onChange={({ target }) => setFirst(target.value)}
        />
        –
        <input
          aria-label="Last step"
          inputMode="numeric"
          value={last}
          onChange={({ target }) => setLast(target.value)}
        />
      </span>
      <FilterTextBox
        label="Filter"
        example="filter: env = &quot;math&quot;"
        value={filter}
        onType={setFilter}
        onClear={() => apply("")}
      />
      <Button type="submit">Draw</Button>
    </form>
  );
}

interface FieldMenuProps {
  label: string;
  field: string | null;
  fields: readonly string[];
  onField: (field: string) => void;
}

function FieldMenu({ label, field, fields, onField }: FieldMenuProps) {
  const name = field === null ? "…" : fieldName(field);
  return (
    <ChoiceMenu
      label={label}
      items={fields}
      nameOf={fieldName}
      isChosen={(each) => each === field}
      onChoose={onField}
      button={{ children: name, "aria-label": `${label}: ${name}` }}
    />
  );
}
