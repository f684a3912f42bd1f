/** Where points lie on the plot, what lies under the mouse, and what a box holds. DOM-free. */

export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Box {
  readonly x: Range;
  readonly y: Range;
}

/** The values' range with a little room on both sides, so that no point lies on the edge. */
export function paddedRange(values: readonly number[]): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return { low: 0, high: 1 };
  // Halves first: the distance between the largest and the smallest number there is would be infinite.
  const room = (high / 2 - low / 2) * 0.08;
  // One value alone, or values that are the same but for rounding: the axis stands around them.
  const around = Math.abs(high) * 0.1 || 1;
  return room > around * 1e-9 ? { low: low - room, high: high + room } : { low: low - around, high: high + around };
}

/** Round numbers within a range, about as many as asked for. */
export function ticks({ low, high }: Range, about: number): number[] {
  const raw = (high - low) / Math.max(1, about);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((times) => times * power >= raw) ?? 10) * power;
  const found: number[] = [];
  for (let nth = Math.ceil(low / step); nth * step <= high && found.length < 50; nth++) {
    found.push(Number((nth * step).toPrecision(12)));
  }
  return found;
}

export const place = (value: number, { low, high }: Range, size: number): number =>
  ((value - low) / (high - low)) * size;
export const valueAt = (at: number, { low, high }: Range, size: number): number => low + (at / size) * (high - low);

/** The point nearest to a place, within a reach; of several at one place the last, which lies on top. */
export function nearest(px: Float32Array, py: Float32Array, x: number, y: number, reach: number): number | null {
  let found: number | null = null;
  let least = reach * reach;
  for (let nth = 0; nth < px.length; nth++) {
    const [dx, dy] = [(px[nth] as number) - x, (py[nth] as number) - y];
    const distance = dx * dx + dy * dy;
    if (distance <= least) {
      least = distance;
      found = nth;
    }
  }
  return found;
}

/** The points from left to right or from bottom to top; those at the same place by the other number. */
export function orderedBy(first: readonly number[], second: readonly number[]): Uint32Array {
  const order = Uint32Array.from(first, (_, nth) => nth);
  return order.sort(
    (a, b) => (first[a] as number) - (first[b] as number) || (second[a] as number) - (second[b] as number) || a - b,
  );
}

/** What a box is written as: whole numbers where the field has only these. */
export function edges({ low, high }: Range, values: readonly number[]): { from: number; to: number; withTo: true } {
  const isWhole = values.every((value) => Number.isInteger(value) && Math.abs(value) < 1e15);
  return isWhole ? { from: Math.ceil(low), to: Math.floor(high), withTo: true } : { from: low, to: high, withTo: true };
}

/** How many other points have exactly the same two numbers. */
export function othersAt(xs: readonly number[], ys: readonly number[], nth: number): number {
  let count = -1;
  for (let other = 0; other < xs.length; other++) if (xs[other] === xs[nth] && ys[other] === ys[nth]) count += 1;
  return count;
}
