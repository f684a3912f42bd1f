/** Bars of a count per step, side by side, thinned to what the width can show. */

export interface Bar {
  x: number;
  width: number;
  height: number;
}

/** Where the bar of a step begins; `count` of them share the width. */
export function barLeft(index: number, count: number, width: number): number {
  return (index / Math.max(1, count)) * width;
}

export function barAt(x: number, count: number, width: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor((x / Math.max(1, width)) * count)));
}

/** One bar per step; with more steps than pixels, one per pixel, as high as its highest. A count of one is still seen.
 * `most` is the count that takes the whole height: given where several rows of bars are to be compared. */
export function stepBars(
  counts: readonly number[],
  width: number,
  height: number,
  most = counts.reduce((a, b) => Math.max(a, b), 0),
): Bar[] {
  if (most === 0) return [];
  const spots = Math.max(1, Math.min(counts.length, Math.floor(width)));
  const highest = new Array<number>(spots).fill(0);
  counts.forEach((count, index) => {
    const spot = Math.min(spots - 1, Math.floor((index / counts.length) * spots));
    highest[spot] = Math.max(highest[spot] ?? 0, count);
  });
  const pitch = width / spots;
  return highest.flatMap((count, spot) =>
    count === 0
      ? []
      : [{ x: spot * pitch, width: Math.max(1, pitch * 0.8), height: Math.max(1.5, (count / most) * height) }],
  );
}

/** The nearest step to `index` that has something to show; null where none has. */
export function nearestWithCount(counts: readonly number[], index: number): number | null {
  for (let away = 0; away < counts.length; away += 1) {
    if ((counts[index - away] ?? 0) > 0) return index - away;
    if ((counts[index + away] ?? 0) > 0) return index + away;
  }
  return null;
}
