import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ListQuery, samplesQuery, stepCountsQuery } from "../../api/hooks";
import type { StepCounts } from "../../api/types";
import { formatCount } from "../../lib/numbers";
import { formatStepRange, parseStepRange, type StepRange } from "../../state/url";
import { go } from "../../state/view";
import { Button } from "../../ui/Button";
import { inGroupOrder } from "../list/useOpenSamples";
import styles from "./AcrossControl.module.css";
import { MatchCurve } from "./MatchCurve";

interface AcrossControlProps {
  run: string;
  list: ListQuery;
  /** "all", or a range. */
  steps: string;
  /** The open sample's step. */
  step: number | null;
}

/** Which steps the list goes over: two numbers to type, and the curve of what matches to brush and to scrub along. */
export function AcrossControl({ run, list, steps, step }: AcrossControlProps) {
  const client = useQueryClient();
  const { data: counts } = useQuery({ ...stepCountsQuery(run, list), placeholderData: keepPreviousData });
  const range = parseStepRange(steps);
  const choose = (wanted: StepRange | null): void => go({ steps: wanted ? formatStepRange(wanted) : "all" });
  const open = async (wanted: number): Promise<void> => {
    const ofStep = { ...list, steps: undefined, step: wanted, sort: inGroupOrder(list.sort) };
    const first = (await client.fetchQuery(samplesQuery(run, ofStep, 0, 1))).rows[0];
    if (first) go({ step: first.step, sample: first.index });
  };
  const most = counts?.matching.reduce((a, b) => Math.max(a, b), 0) ?? 0;
  const inRange = counts ? matchingIn(counts, range) : null;
  return (
    <div className={styles.control}>
      <div className={styles.row}>
        <b>{list.where ? "Matching samples per step" : "Samples per step"}</b>
        <span role="status" aria-label="Matching samples">
          {inRange && `${formatCount(inRange.matching)} of ${formatCount(inRange.samples)}`}
        </span>
        {most > 0 && <span className={styles.most}>at most {formatCount(most)}</span>}
      </div>
      {counts && (
        <MatchCurve counts={counts} range={range} step={step} onStep={(wanted) => void open(wanted)} onRange={choose}>
          {counts.steps.length > 0 && (
            <StepRangeBoxes
              range={range ?? { first: counts.steps[0] as number, last: counts.steps.at(-1) as number }}
              onRange={choose}
            />
          )}
          {range && <Button quiet icon="close" aria-label="All steps again" onClick={() => choose(null)} />}
        </MatchCurve>
      )}
    </div>
  );
}

function StepRangeBoxes({ range, onRange }: { range: StepRange; onRange: (range: StepRange) => void }) {
  return (
    <span className={styles.boxes}>
      steps
      <StepBox label="First step" value={range.first} onValue={(first) => onRange(ordered(first, range.last))} />
      –
      <StepBox label="Last step" value={range.last} onValue={(last) => onRange(ordered(range.first, last))} />
    </span>
  );
}

const ordered = (a: number, b: number): StepRange => ({ first: Math.min(a, b), last: Math.max(a, b) });

function StepBox({ label, value, onValue }: { label: string; value: number; onValue: (value: number) => void }) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  return (
    <input
      aria-label={label}
      inputMode="numeric"
      value={text}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        const typed = Number.parseInt(text, 10);
        if (Number.isFinite(typed) && typed !== value) onValue(typed);
        else setText(String(value));
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setText(String(value));
      }}
    />
  );
}

/** What of the run the range holds, and how much of that matches. */
function matchingIn(
  { steps, samples, matching }: StepCounts,
  range: StepRange | null,
): { samples: number; matching: number; steps: number } {
  const sum = { samples: 0, matching: 0, steps: 0 };
  steps.forEach((step, at) => {
    if (range && (step < range.first || step > range.last)) return;
    sum.samples += samples[at] ?? 0;
    sum.matching += matching[at] ?? 0;
    if (matching[at]) sum.steps += 1;
  });
  return sum;
}
