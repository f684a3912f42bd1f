import { type KeyboardEvent, type PointerEvent, useState } from "react";
import type { Finding, RewardStep } from "../../api/types";
import { DEFAULT_SPAN, ema } from "../../lib/ema";
import { formatCount, formatPercent, formatReward } from "../../lib/numbers";
import { useWidth } from "../../ui/hooks/useWidth";
import { linePath, nearestStep, stepX, ticksTo } from "../parts/rateGeometry";
import styles from "./FindingChart.module.css";

const LEFT = 44;
/** Heights of the two curves. Where there is much width they grow with it: a curve over 2,000 pixels is not flat then. */
const HEIGHTS = { share: 132, reward: 56 };
const WIDE_HEIGHTS = { share: 264, reward: 112 };
const WIDE = 900;

interface FindingChartProps {
  finding: Finding;
  /** Undefined while it is being asked for. */
  rewards: readonly RewardStep[] | undefined;
  onStep: (step: number) => void;
}

/** The share of the samples meant over the steps, since when it is more, and on the same axis what is paid with it and
 * without. A click opens the step. */
export function FindingChart({ finding, rewards, onStep }: FindingChartProps) {
  const { rate, onset, baseline } = finding;
  const [element, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const height = width >= WIDE ? WIDE_HEIGHTS : HEIGHTS;
  const steps = rate.map(([step]) => step);
  const first = steps[0];
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return null;
  const x = stepX({ width, height: height.share, left: LEFT }, first, last);
  const top = Math.max(...rate.map(([, share]) => share), baseline ?? 0, 1e-6);
  const y = (share: number): number => height.share - 4 - (share / top) * (height.share - 14);
  const isLong = rate.length > 2 * DEFAULT_SPAN;
  const smooth = ema(
    rate.map(([, share]) => share),
    DEFAULT_SPAN,
  );
  const values = (rewards ?? []).flatMap(({ reward, reward_others }) => [reward, reward_others]);
  const known = values.filter((value): value is number => value !== null);
  // Room for the curves before they come: what stands below them stays where it is.
  const isPaid = rewards === undefined ? finding.reward !== null : known.length > 0;
  const low = Math.min(...known);
  const high = Math.max(...known);
  const paid = (value: number): number =>
    height.reward - 4 - ((value - low) / (high - low || 1)) * (height.reward - 12);
  const here = at === null ? undefined : rewards?.find(({ step }) => step === at);
  const point = (event: PointerEvent<HTMLDivElement>): void =>
    setAt(nearestStep(steps, x, event.clientX - event.currentTarget.getBoundingClientRect().left));
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by !== undefined)
      setAt(steps[Math.min(steps.length - 1, Math.max(0, steps.indexOf(at ?? first) + by))] ?? null);
    else if (event.key === "Enter" && at !== null) onStep(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const band = onset && (
    <rect
      className={styles.onset}
      x={x(onset[0]) - 2}
      width={Math.max(x(onset[1]) - x(onset[0]) + 4, 5)}
      y={0}
      height="100%"
    />
  );
  const line = at !== null && <line className={styles.cursor} x1={x(at)} x2={x(at)} y1={0} y2="100%" />;
  const began = onset
    ? `began at step ${onset[0]}${onset[1] > onset[0] ? `–${onset[1]}` : ""}`
    : "no beginning within the steps";
  return (
    <div
      ref={element}
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label="Share over the steps"
      aria-valuemin={first}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={at === null ? began : describe(finding, at, here)}
      onPointerMove={point}
      onPointerLeave={() => setAt(null)}
      onClick={() => at !== null && onStep(at)}
      onKeyDown={onKeyDown}
    >
      <p className={styles.title}>
        Share of the samples{" "}
        <small>
          {began}
          {isLong ? ` · EMA ${DEFAULT_SPAN}` : ""} · a click opens the step
        </small>
      </p>
      <div style={{ height: height.share }}>
        {width > 0 && (
          <svg
            width={width}
            height={height.share}
            role="img"
            aria-label={`share per step, ${first} to ${last}, at most ${formatPercent(top)}`}
          >
            {band}
            {ticksTo(top).map((tick) => (
              <g key={tick}>
                <line className={styles.grid} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                <text x={LEFT - 6} y={y(tick) + 3.5} textAnchor="end">
                  {formatPercent(tick)}
                </text>
              </g>
            ))}
            {baseline !== null && (
              <line className={styles.baseline} x1={LEFT} x2={width} y1={y(baseline)} y2={y(baseline)} />
            )}
            <path className={isLong ? styles.raw : styles.rate} d={linePath(rate, y, x)} />
            {isLong && (
              <path
                className={styles.rate}
                d={linePath(
                  steps.map((step, nth) => [step, smooth[nth] ?? null]),
                  y,
                  x,
                )}
              />
            )}
            {line}
          </svg>
        )}
      </div>
      {isPaid && (
        <>
          <p className={styles.title}>
            Mean reward{" "}
            <small>
              <i data-line="with" /> with it <i data-line="without" /> without
            </small>
          </p>
          <div style={{ height: height.reward }}>
            {known.length > 0 && width > 0 && (
              <svg
                width={width}
                height={height.reward}
                role="img"
                aria-label={`mean reward with it and without, ${formatReward(low)} to ${formatReward(high)}`}
              >
                {band}
                {[...new Set([low, high])].map((tick) => (
                  <g key={tick}>
                    <line className={styles.grid} x1={LEFT} x2={width} y1={paid(tick)} y2={paid(tick)} />
                    <text x={LEFT - 6} y={paid(tick) + 3.5} textAnchor="end">
                      {formatReward(tick)}
                    </text>
                  </g>
                ))}
                <path
                  className={styles.without}
                  d={linePath(
                    (rewards ?? []).map(({ step, reward_others }) => [step, reward_others]),
                    paid,
                    x,
                  )}
                />
                <path
                  className={styles.with}
                  d={linePath(
                    (rewards ?? []).map(({ step, reward }) => [step, reward]),
                    paid,
                    x,
                  )}
                />
                {line}
              </svg>
            )}
          </div>
        </>
      )}
      <p className={styles.axis} style={{ paddingLeft: LEFT }}>
        <span>{formatCount(first)}</span>
        <span className={styles.says}>{at === null ? "step" : describe(finding, at, here)}</span>
        <span>{formatCount(last)}</span>
      </p>
    </div>
  );
}

function describe({ rate }: Finding, step: number, here: RewardStep | undefined): string {
  const share = rate.find(([each]) => each === step)?.[1] ?? 0;
  const counts = here ? ` · ${formatCount(here.samples)} of ${formatCount(here.judged)}` : "";
  const paid =
    here?.reward != null ? ` · reward ${formatReward(here.reward)}, others ${formatReward(here.reward_others)}` : "";
  return `step ${formatCount(step)} · ${formatPercent(share)}${counts}${paid}`;
}
