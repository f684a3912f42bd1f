import { useMemo } from "react";
import type { StepRow } from "../api/types";
import { formatCount } from "../lib/numbers";
import { reasonCounts, reasonText, stepWithReason } from "../reading/outcome/discardReasons";
import { quoted } from "../state/selection";
import { go, useView } from "../state/view";
import { Badge } from "../ui/Badge";
import styles from "./DiscardSummary.module.css";

/** Why samples were thrown away, over the whole run: counts, percentages, a bar per step. A click filters by reason,
 * at the nearest step that has it. */
export function DiscardSummary({ steps, step }: { steps: readonly StepRow[]; step: number | null }) {
  const view = useView();
  const reasons = useMemo(() => reasonCounts(steps), [steps]);
  return (
    <section className={styles.summary} aria-label="Discard reasons">
      {reasons.map(({ reason, count, percent }) => {
        const where = `discard_reason = ${quoted(reason)}`;
        const isOn = view.where === where;
        return (
          <button
            key={reason}
            type="button"
            className={styles.reason}
            aria-pressed={isOn}
            title={isOn ? "Show all reasons" : `Show only ${reasonText(reason)}`}
            onClick={() => {
              const at = isOn ? null : stepWithReason(steps, reason, step);
              go({ where: isOn ? "" : where, sample: null, ...(at === null ? {} : { step: at }) });
            }}
          >
            <Badge tone="warn">{reasonText(reason)}</Badge>
            <b>{formatCount(count)}</b>
            <span>{percent.toFixed(1)} % of all generated</span>
            <OverSteps steps={steps} reason={reason} />
          </button>
        );
      })}
    </section>
  );
}

const BARS = 48;

/** Discarded samples of one reason over the steps, in at most as many bars as fit. */
function OverSteps({ steps, reason }: { steps: readonly StepRow[]; reason: string }) {
  const bars = useMemo(() => {
    const size = Math.max(1, Math.ceil(steps.length / BARS));
    const sums: number[] = [];
    steps.forEach((row, at) => {
      const bar = Math.floor(at / size);
      sums[bar] = (sums[bar] ?? 0) + (row.discard_reasons[reason] ?? 0);
    });
    return sums;
  }, [steps, reason]);
  const most = bars.reduce((a, b) => Math.max(a, b), 1);
  return (
    <svg className={styles.bars} viewBox={`0 0 ${bars.length * 3} 20`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map((count, at) => (
        <rect key={at} x={at * 3} width={2} y={20 - (count / most) * 20} height={(count / most) * 20} />
      ))}
    </svg>
  );
}
