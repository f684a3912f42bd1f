/** Which two selections: five questions people ask most, and two filters that say what they are. */
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useRef } from "react";
import { useRun, useRuns, useSteps } from "../../api/hooks";
import { filteredCountQuery } from "../../api/insights";
import type { RunInfo } from "../../api/types";
import { FilterBox } from "../../browsing/FilterBox";
import { plural } from "../../lib/numbers";
import { chooseSplit } from "../../state/selection";
import { useKeys } from "../../state/useKeys";
import { go, useView } from "../../state/view";
import { Button } from "../../ui/Button";
import { ChoiceMenu } from "../../ui/menus/ChoiceMenu";
import styles from "../InsightsPage.module.css";
import { CopyCommand, options } from "../parts/CopyCommand";
import { SideMark } from "../parts/SideMark";
import { useFilterWords } from "../parts/useFilterWords";
import { presets } from "./presets";

export const FIELDS = {
  response: "responses",
  prompt: "prompts",
  golden: "golden answers",
  text: "all texts",
} as const;

export function ContrastForm({ run, field, error }: { run: RunInfo; field: string; error: unknown }) {
  const { other } = useView();
  const details = useRun(run.id).data;
  const { data: runs } = useRuns();
  const steps = useSteps(run.id, chooseSplit(run.splits, null)).data?.steps ?? [];
  const known = steps.flatMap(({ reward }) =>
    reward.min !== null && reward.max !== null ? [reward.min, reward.max] : [],
  );
  const rewards = known.length > 0 ? ([Math.min(...known), Math.max(...known)] as const) : null;
  const discarded = run.splits.reduce((sum, split) => sum + split.discarded, 0);
  const others = (runs ?? []).filter(({ id }) => id !== run.id);
  const against = others.find(({ id }) => id === other.against) ?? null;
  const firstBox = useRef<HTMLTextAreaElement>(null);
  const secondBox = useRef<HTMLTextAreaElement>(null);
  const isChanges = other.preset === "changes";
  const { a = "", b = "" } = other;
  const kept = field === "response" ? {} : { field };
  const ask = (change: Record<string, string>): void => go({ other: { tab: "contrast", ...kept, ...change } });
  const swap = (): void =>
    ask({ ...(b ? { a: b } : {}), ...(a ? { b: a } : {}), ...(other.against ? { against: other.against } : {}) });
  useKeys({ filter: () => firstBox.current?.focus(), "failing-turn": swap });
  const chosen = { ...(other.against ? { against: other.against } : {}) };
  const sides = {
    a: { run: run.id, name: run.name },
    b: { run: against?.id ?? run.id, name: against?.name ?? run.name },
  };
  return (
    <section aria-label="Two selections">
      <div className={styles.bar}>
        {presets({ details, rewards, discarded, steps: steps.length }).map(
          ({ name, label, a: first, b: second, missing }) => (
            <Button
              key={name}
              on={other.preset === name}
              disabled={missing !== null}
              title={missing ?? undefined}
              onClick={() => ask({ preset: name, ...(first ? { a: first } : {}), ...(second ? { b: second } : {}) })}
            >
              {label}
            </Button>
          ),
        )}
        <ChoiceMenu
          label="The other run"
          items={others}
          nameOf={({ name }) => name}
          isChosen={({ id }) => other.against === id}
          onChoose={({ id }) => ask({ ...(a ? { a } : {}), ...(b ? { b } : {}), against: id })}
          button={{
            children: against ? `this run against ${against.name}` : "this run against another",
            on: against !== null,
            disabled: others.length === 0,
            title: others.length === 0 ? "only one run is open" : undefined,
          }}
        />
        <span className={styles.end}>
          <CopyCommand
            run={run.id}
            name={isChanges ? "changes" : "contrast"}
            words={options({ ...(isChanges ? {} : { a, b }), in: field === "response" ? null : field })}
            other={other.against ?? null}
          />
        </span>
      </div>
      <div className={styles.bar}>
        <Side
          side="a"
          run={sides.a.run}
          where={a}
          error={error}
          inputRef={firstBox}
          says={isChanges ? "the last tenth of the steps" : null}
          onApply={(wanted) => ask({ ...(wanted ? { a: wanted } : {}), ...(b ? { b } : {}), ...chosen })}
        />
        <Button aria-label="Swap A and B (x)" icon="swap" disabled={isChanges} onClick={swap} />
        <Side
          side="b"
          run={sides.b.run}
          where={b}
          error={null}
          inputRef={secondBox}
          says={isChanges ? "the first tenth of the steps" : b || against ? null : "all others"}
          onApply={(wanted) => ask({ ...(a ? { a } : {}), ...(wanted ? { b: wanted } : {}), ...chosen })}
        />
        <ChoiceMenu
          label="Whose words"
          items={Object.keys(FIELDS) as (keyof typeof FIELDS)[]}
          nameOf={(name) => FIELDS[name]}
          isChosen={(name) => name === field}
          onChoose={(name) => go({ other: { ...other, tab: "contrast", field: name } })}
          button={{ children: `in ${FIELDS[field as keyof typeof FIELDS]}` }}
        />
      </div>
    </section>
  );
}

interface SideProps {
  side: "a" | "b";
  run: string;
  where: string;
  error: unknown;
  /** What it means without a filter. */
  says: string | null;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  onApply: (where: string) => void;
}

function Side({ side, run, where, error, says, inputRef, onApply }: SideProps) {
  const words = useFilterWords(run);
  const { data } = useQuery({ ...filteredCountQuery(run, null, where, "all"), enabled: where !== "" });
  return (
    <div className={styles.selection}>
      <SideMark side={side} />
      <div className={styles.box}>
        <FilterBox
          inputRef={inputRef}
          label={`Filter of ${side.toUpperCase()}`}
          where={where}
          words={words}
          error={error}
          onApply={onApply}
        />
      </div>
      <small>{where !== "" ? data && plural(data.total, "sample") : says}</small>
    </div>
  );
}
