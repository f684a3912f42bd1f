/**
 * Exponential moving average over `span` points, α = 2 / (span + 1).
 *
 * A missing value stays missing and does not move the average: the line has its gap, and goes on after it from where
 * it was. The first value seeds the average, so a short series is not drawn from zero.
 */
export const MIN_SPAN = 2;
export const MAX_SPAN = 100;
export const DEFAULT_SPAN = 10;

export type Value = number | null;

export function alphaOf(span: number): number {
  return 2 / (span + 1);
}

export function ema(values: readonly Value[], span: number): Value[] {
  const alpha = alphaOf(span);
  let average: number | null = null;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    // Written as a step towards the value: a constant stays that constant to the last bit, where the sum of two products
    // would round it up or down and draw a flat line as a falling one.
    const last: number = average ?? value;
    const way = value - last;
    // The way from −1e308 to 1e308 is more than a number can hold.
    average = Number.isFinite(way) ? last + alpha * way : alpha * value + (1 - alpha) * last;
    return average;
  });
}

/** The average, or null of fewer numbers than the span: it would still be mostly its first value, and three evals of 0, 1
 * and 1 would end at 0.33. */
export function smoothed(values: readonly Value[], span: number): Value[] | null {
  let numbers = 0;
  for (const value of values) {
    if (value !== null && Number.isFinite(value)) numbers += 1;
    if (numbers >= span) return ema(values, span);
  }
  return null;
}

/** A span as typed or found in a URL: a whole number in 2…100, or null where it is no number (smoothing off). */
export function parseSpan(text: string | null | undefined): number | null {
  if (!text || !/^\d+$/.test(text.trim())) return null;
  return Math.min(MAX_SPAN, Math.max(MIN_SPAN, Number(text)));
}
