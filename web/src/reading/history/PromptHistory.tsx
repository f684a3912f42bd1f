import { useQuery } from "@tanstack/react-query";
import { promptHistoryQuery } from "../../api/hooks";
import type { Sample, SampleRow } from "../../api/types";
import { formatReward, plural } from "../../lib/numbers";
import { parseAddress } from "../../state/url";
import { go, hrefFor } from "../../state/view";
import { Failure, Skeleton } from "../../ui/States";
import type { Folds } from "../messages/folds";
import { Section } from "../messages/Section";
import { colourOf, type Scale } from "../outcome/colourScale";
import styles from "./PromptHistory.module.css";
import { byStep } from "./promptSteps";

interface PromptHistoryProps {
  run: string;
  sample: Sample;
  folds: Folds;
  scaleOf: (field: string) => Scale;
}

/** The same prompt in every step that asked it: did the model get better at it? Fetched when it is unfolded. */
export function PromptHistory({ run, sample, folds, scaleOf }: PromptHistoryProps) {
  return (
    <Section id="history" apart title="This prompt over the steps" folds={folds} open={false}>
      <History run={run} sample={sample} scale={scaleOf("reward")} />
    </Section>
  );
}

function History({ run, sample, scale }: { run: string; sample: Sample; scale: Scale }) {
  const { data, error } = useQuery(promptHistoryQuery(run, sample.address));
  if (error) return <Failure error={error} />;
  if (!data) return <Skeleton lines={3} label="Looking for the prompt in other steps" />;
  const steps = byStep(data);
  return (
    <>
      <a
        className={styles.runs}
        href={hrefFor({ page: "insights", other: { tab: "prompt", address: sample.address } })}
      >
        In all open runs, with pass rates, and any two as a diff
      </a>
      <ol className={styles.steps} aria-label="Steps with this prompt">
        {steps.map(({ step, mean, rows }) => (
          <li key={step} aria-current={step === sample.step ? "step" : undefined}>
            <span className={styles.step}>step {step}</span>
            <b style={{ color: colourOf(scale, mean, "ink") }}>{formatReward(mean)}</b>
            <span className={styles.dots}>
              {rows.map((row) => (
                <Dot key={row.address} row={row} scale={scale} isOpen={row.address === sample.address} />
              ))}
            </span>
            <small>{plural(rows.length, "sample")}</small>
          </li>
        ))}
      </ol>
    </>
  );
}

function Dot({ row, scale, isOpen }: { row: SampleRow; scale: Scale; isOpen: boolean }) {
  return (
    <button
      type="button"
      aria-label={`Sample ${row.address}, reward ${formatReward(row.reward)}`}
      title={`${row.address} · reward ${formatReward(row.reward)}`}
      aria-pressed={isOpen}
      style={{ background: colourOf(scale, row.reward) }}
      onClick={() => {
        const place = parseAddress(row.address);
        if (place) go({ step: place.step, sample: place.sample });
      }}
    />
  );
}
