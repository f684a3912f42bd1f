import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useState } from "react";
import type { StepCounts } from "../../api/types";
import { formatCount } from "../../lib/numbers";
import { barAt, barLeft, nearestWithCount, stepBars } from "../../lib/stepBars";
import type { StepRange } from "../../state/url";
import { useWidth } from "../../ui/hooks/useWidth";
import styles from "./MatchCurve.module.css";
import { StepTip } from "./StepTip";

const HEIGHT = 42;
/** Less than this is a click, not a brush. */
const BRUSH_PX = 5;

interface MatchCurveProps {
  counts: StepCounts;
  /** The steps the list goes over; null: all. */
  range: StepRange | null;
  /** The open sample's step. */
  step: number | null;
  onStep: (step: number) => void;
  onRange: (range: StepRange | null) => void;
  /** Below the curve, between its ends. */
  children: ReactNode;
}

/** How many samples match in each step. A click opens the first of a step, a brush or the handles choose a range. */
export function MatchCurve({ counts, range, step, onStep, onRange, children }: MatchCurveProps) {
  const [boxRef, width, box] = useWidth<HTMLDivElement>(300);
  const [hover, setHover] = useState<number | null>(null);
  /** A brush that is being drawn: its two ends, by index. */
  const [brush, setBrush] = useState<{ from: number; to: number; x: number; moved: boolean } | null>(null);

  const { steps, matching } = counts;
  const total = steps.length;
  const bars = useMemo(() => stepBars(matching, width, HEIGHT - 4), [matching, width]);
  const current = step === null ? -1 : steps.indexOf(step);
  const shown = brush?.moved
    ? { low: Math.min(brush.from, brush.to), high: Math.max(brush.from, brush.to) }
    : indexes(steps, range);
  const at = (clientX: number): number =>
    barAt(clientX - (box.current?.getBoundingClientRect().left ?? 0), total, width);
  const choose = (low: number, high: number): void => {
    const [first, last] = [steps[Math.max(0, low)], steps[Math.min(total - 1, high)]];
    if (first === undefined || last === undefined) return;
    onRange(low <= 0 && high >= total - 1 ? null : { first, last });
  };
  const open = (index: number): void => {
    const near = nearestWithCount(matching, index);
    if (near !== null) onStep(steps[near] as number);
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (!brush) return;
    const to = at(event.clientX);
    setBrush(null);
    if (brush.moved) choose(Math.min(brush.from, to), Math.max(brush.from, to));
    else open(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    let index = event.key === "Home" ? 0 : event.key === "End" ? total - 1 : current + (by ?? 0);
    const direction = event.key === "End" ? -1 : (by ?? 1);
    while (index >= 0 && index < total && !matching[index]) index += direction;
    const next = steps[index];
    if (next !== undefined) onStep(next);
  };
  const left = (index: number): number => barLeft(index, total, width);

  return (
    <div className={styles.curve}>
      <div
        ref={boxRef}
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label="Step, over the curve of matching samples"
        aria-valuenow={step ?? 0}
        aria-valuemin={steps[0] ?? 0}
        aria-valuemax={steps.at(-1) ?? 0}
        aria-valuetext={current >= 0 ? `step ${step}, ${formatCount(matching[current])} matching` : "no step"}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const index = at(event.clientX);
          setBrush({ from: index, to: index, x: event.clientX, moved: false });
        }}
        onPointerMove={(event) => {
          setHover(at(event.clientX));
          if (brush)
            setBrush({
              ...brush,
              to: at(event.clientX),
              moved: brush.moved || Math.abs(event.clientX - brush.x) > BRUSH_PX,
            });
        }}
        onPointerLeave={() => setHover(null)}
        onPointerCancel={() => setBrush(null)}
        onPointerUp={onPointerUp}
        onKeyDown={onKeyDown}
      >
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          <rect
            className={styles.range}
            x={left(shown.low)}
            width={Math.max(1, left(shown.high + 1) - left(shown.low))}
            height={HEIGHT}
          />
          {bars.map(({ x, width: wide, height }) => (
            <rect
              key={x}
              className={styles.bar}
              data-out={x + wide < left(shown.low) || x >= left(shown.high + 1) || undefined}
              x={x}
              width={wide}
              y={HEIGHT - height}
              height={height}
            />
          ))}
          <line className={styles.base} x1={0} x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {current >= 0 && <rect className={styles.mark} x={left(current + 0.5) - 1} y={0} width={2} height={HEIGHT} />}
          {hover !== null && (
            <line className={styles.hover} x1={left(hover + 0.5)} x2={left(hover + 0.5)} y1={0} y2={HEIGHT} />
          )}
        </svg>
        {hover !== null && steps[hover] !== undefined && (
          <StepTip x={left(hover)} width={width}>
            {brush?.moved
              ? `steps ${steps[shown.low]} to ${steps[shown.high]}`
              : `step ${steps[hover]} · ${formatCount(matching[hover])} of ${formatCount(counts.samples[hover])}`}
          </StepTip>
        )}
      </div>
      <Handle
        side="first"
        x={left(shown.low)}
        value={steps[shown.low] ?? 0}
        onMove={(by) => choose(Math.min(shown.high, shown.low + by), shown.high)}
      />
      <Handle
        side="last"
        x={left(shown.high + 1)}
        value={steps[shown.high] ?? 0}
        onMove={(by) => choose(shown.low, Math.max(shown.low, shown.high + by))}
      />
      <div className={styles.axis}>
        <span aria-hidden="true">{steps[0]}</span>
        <span className={styles.middle}>{children}</span>
        <span aria-hidden="true">{steps.at(-1)}</span>
      </div>
    </div>
  );
}

/** An end of the range, for the keyboard; the pointer brushes. */
function Handle({
  side,
  x,
  value,
  onMove,
}: {
  side: "first" | "last";
  x: number;
  value: number;
  onMove: (by: number) => void;
}) {
  return (
    <span
      className={styles.handle}
      style={{ left: x }}
      role="slider"
      tabIndex={0}
      aria-label={side === "first" ? "First step of the range" : "Last step of the range"}
      aria-valuenow={value}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        onMove(by);
      }}
    />
  );
}

/** The places of the steps that a range holds. */
function indexes(steps: readonly number[], range: StepRange | null): { low: number; high: number } {
  if (!range) return { low: 0, high: steps.length - 1 };
  const low = steps.findIndex((step) => step >= range.first);
  const high = steps.findLastIndex((step) => step <= range.last);
  return { low: low < 0 ? steps.length : low, high };
}
