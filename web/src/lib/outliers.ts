/**
 * Which values are so far out that they flatten everything else: those outside [Q1 − k·IQR, Q3 + k·IQR].
 *
 * k = 6 keeps honest spikes (for a normal distribution the fence lies nine standard deviations out) and leaves out the
 * one gradient norm of 1e6.
 */
import type { Value } from "./ema";

export const DEFAULT_K = 6;
export const MAX_K = 100;
/** Quartiles of fewer values say nothing about what is usual. */
const MIN_VALUES = 4;

interface Fence {
  readonly low: number;
  readonly high: number;
}

/** The q-quantile of sorted values, interpolated between neighbours (as NumPy and pandas do). */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const place = (sorted.length - 1) * q;
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (place - below);
}

/** The range outside which a value is an outlier, or null where there are too few values to tell. */
export function fence(values: readonly Value[], k: number = DEFAULT_K): Fence | null {
  const finite = Float64Array.from(values.filter((value): value is number => value !== null && Number.isFinite(value)));
  if (finite.length < MIN_VALUES) return null;
  finite.sort();
  const q1 = quantile(finite, 0.25);
  const q3 = quantile(finite, 0.75);
  const reach = k * (q3 - q1);
  return { low: q1 - reach, high: q3 + reach };
}

export function isInside(range: Fence, value: number): boolean {
  return value >= range.low && value <= range.high;
}
