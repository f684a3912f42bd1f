/** Quantiles of tokens by step and position, as a grid whose colours mean the same in every run. */

import type { StepTokens } from "../../api/types";
import { ticksTo } from "../parts/rateGeometry";

export const VALUES = {
  log_ratio: "|log ratio| of trainer and sampler",
  entropy: "entropy",
  logprob: "log-probability",
  mismatch_kl: "k3, trainer and sampler",
  reference_kl: "k3, to the reference",
} as const;

export type TokenValue = keyof typeof VALUES;

/** As far out as colours tell: TRL's bound, ten equal choices, one in 3,000. */
export const FAR: Record<TokenValue, number> = {
  log_ratio: Math.log(3),
  entropy: Math.log(10),
  logprob: -8,
  mismatch_kl: 0.5,
  reference_kl: 0.5,
};

interface Bound {
  readonly name: string;
  readonly value: number;
}

/** Bounds that trainers cut the ratio at, as lines on the axis of its logarithm. */
const BOUNDS: Partial<Record<TokenValue, readonly Bound[]>> = {
  log_ratio: [
    { name: "verl’s bound, ratio 2", value: Math.log(2) },
    { name: "TRL’s bound, ratio 3", value: Math.log(3) },
  ],
};

/** A bound this many times beyond all that was seen would press the curves flat: it is said, not drawn. */
const BEYOND = 4;

interface QuantileAxis {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  readonly drawn: readonly Bound[];
  readonly beyond: readonly Bound[];
}

/** From 0 to what was seen, with round numbers, and the bounds that are within reach. */
export function quantileAxis(value: TokenValue, steps: readonly StepTokens[]): QuantileAxis {
  const all = steps.flatMap(({ p50, p90, p99 }) => [p50, p90, p99]);
  const low = Math.min(0, ...all);
  const seen = Math.max(0, ...all);
  const bounds = BOUNDS[value] ?? [];
  const drawn = bounds.filter((bound) => bound.value <= BEYOND * seen);
  const high = Math.max(seen, ...drawn.map((bound) => bound.value));
  const below = ticksTo(-low).flatMap((tick) => (tick > 0 ? [-tick] : []));
  const ticks = [...below.reverse(), ...ticksTo(high)];
  return {
    low,
    high: high === low ? low + 1 : high,
    ticks,
    drawn,
    beyond: bounds.filter((each) => !drawn.includes(each)),
  };
}

/** Places along the steps that are named: the first and evenly on, as many as there is room for. */
export function namedPlaces(count: number, room: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.ceil(count / every) }, (_, nth) => nth * every);
}

/** 0 is calm, 1 as far out as colours tell. */
export function shade(value: TokenValue, quantile: number): number {
  return Math.min(1, Math.max(0, quantile / FAR[value]));
}

interface GridRow {
  readonly start: number;
  readonly end: number;
  /** For each step its 99th percentile there; null where no token is. */
  readonly cells: readonly (StepTokens["positions"][number] | null)[];
}

/** A row for each stretch of positions that any step has. */
export function gridRows(steps: readonly StepTokens[]): GridRow[] {
  const starts = new Map<number, number>();
  for (const { positions } of steps) for (const { start, end } of positions) starts.set(start, end);
  return [...starts]
    .sort(([a], [b]) => a - b)
    .map(([start, end]) => ({
      start,
      end,
      cells: steps.map(({ positions }) => positions.find((position) => position.start === start) ?? null),
    }));
}
