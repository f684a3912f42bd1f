import { useMemo } from "react";
import type { StepRow } from "../api/types";
import { formatCount } from "../lib/numbers";
import { barLeft, stepBars } from "../lib/stepBars";
import { reasonCounts, reasonText, stepWithReason } from "../reading/outcome/discardReasons";
import { quoted } from "../state/conditions";
import { go, useView } from "../state/view";
import { Badge } from "../ui/Badge";
import { useWidth } from "../ui/hooks/useWidth";
import styles from "./DiscardSummary.module.css";

const HEIGHT = 18;

/** Why samples were thrown away, over the whole run: counts, percentages, a bar per step. A click filters by reason,
 * at the nearest step that has it. */
export function DiscardSummary({ steps, step }: { steps: readonly StepRow[]; step: number | null }) {
  const view = useView();
  const reasons = useMemo(
    () =>
      reasonCounts(steps).map((each) => ({
        ...each,
        counts: steps.map(({ discard_reasons }) => discard_reasons[each.reason] ?? 0),
      })),
    [steps],
  );
  const most = reasons.reduce((high, { counts }) => counts.reduce((a, b) => Math.max(a, b), high), 0);
  const current = steps.findIndex((row) => row.step === step);
  return (
    <section className={styles.frame} aria-label="Discard reasons">
      <div className={styles.summary}>
        {reasons.map(({ reason, count, percent, counts }) => {
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
              <span>
                {percent.toFixed(1)}%<span className={styles.words}> of all generated</span>
              </span>
              <OverSteps counts={counts} most={most} current={current} />
            </button>
          );
        })}
        {steps.length > 0 && (
          <p className={styles.axis}>
            <span>step {steps[0]?.step}</span>
            <span className={styles.middle}>{most > 0 && `at most ${formatCount(most)} in a step`}</span>
            <span>step {steps.at(-1)?.step}</span>
          </p>
        )}
      </div>
    </section>
  );
}

/** Discarded samples of one reason, a bar per step. All reasons have the same axis and the same height for the same
 * count; the open step is marked. */
function OverSteps({ counts, most, current }: { counts: readonly number[]; most: number; current: number }) {
  const [box, width] = useWidth<HTMLSpanElement>();
  const bars = useMemo(() => (width > 0 ? stepBars(counts, width, HEIGHT, most) : []), [counts, width, most]);
  return (
    <span ref={box} className={styles.bars} aria-hidden="true">
      <svg width={width} height={HEIGHT} aria-hidden="true">
        {bars.map(({ x, width: wide, height }) => (
          <rect key={x} x={x} width={wide} y={HEIGHT - height} height={height} />
        ))}
        {current >= 0 && (
          <line
            x1={barLeft(current + 0.5, counts.length, width)}
            x2={barLeft(current + 0.5, counts.length, width)}
            y1={0}
            y2={HEIGHT}
          />
        )}
      </svg>
    </span>
  );
}
