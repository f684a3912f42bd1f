import { useSteps } from "../../api/hooks";
import type { FindingsReport, RunInfo } from "../../api/types";
import { plural } from "../../lib/numbers";
import { chooseSplit } from "../../state/selection";
import page from "../InsightsPage.module.css";
import { CopyCommand } from "../parts/CopyCommand";
import { InnerLink } from "../parts/InnerLink";
import styles from "./FindingsView.module.css";
import { unknownIn } from "./findingKinds";

/** Nothing found is an answer: what was looked at, for what, and what could not be known. */
export function NothingFound({ answer, run }: { answer: FindingsReport; run: RunInfo }) {
  const { samples, kinds, looked_for, unknown } = answer;
  const reasons = unknownIn(
    unknown,
    run.splits.filter((split) => split.samples > 0).map(({ split }) => split),
  );
  const never = [...reasons.values()].filter(({ everywhere }) => everywhere).length;
  const steps = run.splits.find(({ split }) => split === "train")?.steps;
  const rewards = useSteps(run.id, chooseSplit(run.splits, null)).data?.steps.map(({ reward }) => reward) ?? [];
  const differs = rewards.some(({ min, max }) => min !== rewards[0]?.min || min !== max);
  return (
    <div className={`${styles.columns} ${styles.clean}`}>
      <div className={styles.nothing} role="status">
        <h2>Nothing found</h2>
        <p>
          Looked at {plural(samples, "sample")} for {plural(kinds.length, "kind")} of trouble
          {typeof steps === "number" ? ` in ${plural(steps, "training step")}` : ""}.
          {never > 0 &&
            ` ${never === 1 ? "One kind" : `${never} kinds`} could not be checked with what this run records.`}
        </p>
        <p>Detectors that find nothing do not replace reading. A good start:</p>
        <p className={styles.starts}>
          {differs ? (
            <>
              <InnerLink to={{ other: { tab: "contrast" } }}>Contrast the highest and lowest rewards</InnerLink>
              <InnerLink to={{ page: "rollouts", sort: "-spread" }}>Open the group with the widest spread</InnerLink>
            </>
          ) : rewards.length > 1 ? (
            <InnerLink to={{ other: { tab: "contrast", preset: "changes" } }}>
              Contrast the last and first steps
            </InnerLink>
          ) : (
            <InnerLink to={{ page: "rollouts" }}>Open the samples</InnerLink>
          )}
          <CopyCommand run={run.id} name="findings" />
        </p>
      </div>
      <div className={page.column}>
        <table className={page.table} aria-label="Kinds looked for">
          <thead>
            <tr>
              <th>kind</th>
              <th>looked for</th>
              <th>found</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <td className={styles.kind}>{kind}</td>
                <td>{looked_for[kind]}</td>
                <td className={page.faint}>{reasons.get(kind)?.says ?? "none"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
