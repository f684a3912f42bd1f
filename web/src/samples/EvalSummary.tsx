import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { groupsQuery } from "../api/hooks";
import { formatCount, formatReward, plural } from "../lib/numbers";
import { qualityColour, scaleFor } from "../lib/scale";
import styles from "./EvalSummary.module.css";
import { passTable, passThreshold } from "./passAtK";
import type { Browser } from "./useBrowser";

/** Problems beyond this many are left out of pass@k, and the strip says so. */
const MOST_PROBLEMS = 10_000;

/** The eval set at this step: mean reward, and pass@k over its problems. */
export function EvalSummary({ browser }: { browser: Browser }) {
  const { run, split, step, details } = browser;
  const { data } = useQuery({
    ...groupsQuery(run?.id ?? "", { split: split ?? "", step: step?.step ?? 0 }, ["reward"], 0, MOST_PROBLEMS, false),
    enabled: run !== null && split !== null && step !== null,
  });
  const table = useMemo(() => {
    if (!data) return null;
    const scale = scaleFor("reward", data.rows[0]?.env ?? null, details?.ranges ?? {}, data.observed);
    const threshold = passThreshold(scale.min, scale.max);
    return {
      threshold,
      rows: passTable(
        data.rows.map(({ values }) => ({ rewards: values.reward ?? [] })),
        threshold,
      ),
    };
  }, [data, details]);
  if (!step || !data || !table) return <section className={styles.summary} aria-label="Eval summary" />;
  const isCut = data.total_groups > data.rows.length;
  return (
    <section className={styles.summary} aria-label="Eval summary">
      <span className={styles.what}>
        {split} · step {step.step} · {plural(data.total_groups, "problem")} · {plural(data.total_samples, "completion")}
      </span>
      <span className={styles.value}>
        <small>mean reward</small>
        <b>{formatReward(step.reward.mean)}</b>
      </span>
      {table.rows.map(({ k, value }) => (
        <span
          key={k}
          className={styles.value}
          title={`right: reward ≥ ${formatReward(table.threshold)}; unbiased estimator`}
        >
          <small>pass@{k}</small>
          <b>{(100 * value).toFixed(1)} %</b>
          <i style={{ width: `${100 * value}%`, background: qualityColour(value) }} />
        </span>
      ))}
      {isCut && <small>of the first {formatCount(data.rows.length)} problems</small>}
    </section>
  );
}
