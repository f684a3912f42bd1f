import { useMemo, useState } from "react";
import type { StepRow } from "../../api/types";
import { formatReward, plural } from "../../lib/numbers";
import type { Action } from "../../state/keys";
import { useWidth } from "../../ui/hooks/useWidth";
import { stepTarget } from "../readingOrder";
import styles from "./Scrubber.module.css";
import { StepTip } from "./StepTip";
import { curvePath, indexAt, xOf } from "./stepCurve";

const HEIGHT = 34;
const SLIDER_KEYS: Readonly<Record<string, Action>> = {
  ArrowLeft: "previous-step",
  ArrowRight: "next-step",
  Home: "first-step",
  End: "last-step",
};

interface ScrubberProps {
  steps: readonly StepRow[];
  step: number | null;
  /** What the curve shows: a value per step, and its name. */
  measure: (row: StepRow) => number | null;
  name: string;
  onStep: (step: number) => void;
}

/** The run's curve as a slider over its steps: click, drag, or arrow keys. */
export function Scrubber({ steps, step, measure, name, onStep }: ScrubberProps) {
  const [boxRef, width, box] = useWidth<HTMLDivElement>(300);
  const [hover, setHover] = useState<number | null>(null);

  const path = useMemo(
    () =>
      curvePath(
        steps.map((row) => ({ step: row.step, value: measure(row) })),
        width,
        HEIGHT,
      ),
    [steps, measure, width],
  );
  const current = steps.findIndex((row) => row.step === step);
  const at = (clientX: number): number => {
    const left = box.current?.getBoundingClientRect().left ?? 0;
    return indexAt(clientX - left, steps.length, width);
  };
  const hovered = hover === null ? undefined : steps[hover];
  const numbers = useMemo(() => steps.map((row) => row.step), [steps]);

  return (
    <div
      ref={boxRef}
      className={styles.scrubber}
      role="slider"
      tabIndex={0}
      aria-label={`Step, over the curve of ${name}`}
      aria-valuenow={step ?? 0}
      aria-valuemin={numbers[0] ?? 0}
      aria-valuemax={numbers.at(-1) ?? 0}
      aria-valuetext={step === null ? "no step" : `step ${step}`}
      onPointerMove={(event) => setHover(at(event.clientX))}
      onPointerLeave={() => setHover(null)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerUp={(event) => {
        const row = steps[at(event.clientX)];
        if (row) onStep(row.step);
      }}
      onKeyDown={(event) => {
        const action = SLIDER_KEYS[event.key];
        if (!action) return;
        const next = stepTarget(numbers, step, action);
        event.preventDefault();
        if (next !== null) onStep(next);
      }}
    >
      <svg width="100%" height={HEIGHT} aria-hidden="true">
        <line className={styles.base} x1={0} x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        <path d={path} className={styles.curve} />
        {hover !== null && (
          <line
            className={styles.hover}
            x1={xOf(hover, steps.length, width)}
            x2={xOf(hover, steps.length, width)}
            y1={0}
            y2={HEIGHT}
          />
        )}
        {current >= 0 && (
          <rect className={styles.mark} x={xOf(current, steps.length, width) - 1} y={0} width={2} height={HEIGHT} />
        )}
      </svg>
      {hovered && hover !== null && (
        <StepTip x={xOf(hover, steps.length, width)} width={width}>
          step {hovered.step} · {name} {formatReward(measure(hovered))} · {plural(hovered.samples, "sample")}
        </StepTip>
      )}
    </div>
  );
}
