/** The run's curve behind the step control: a path through one value per step, thinned to what the width can show. */

interface CurvePoint {
  step: number;
  value: number | null;
}

/** Steps lie side by side, gaps in their numbers closed: every step is as easy to hit as another. */
export function xOf(index: number, count: number, width: number): number {
  return count <= 1 ? width / 2 : (index / (count - 1)) * width;
}

export function indexAt(x: number, count: number, width: number): number {
  if (count <= 1 || width <= 0) return 0;
  return Math.min(count - 1, Math.max(0, Math.round((x / width) * (count - 1))));
}

/** An SVG path, broken where values are missing. With more steps than pixels, each pixel shows its lowest and highest. */
export function curvePath(points: readonly CurvePoint[], width: number, height: number): string {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return "";
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const y = (value: number): string =>
    (high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4)).toFixed(1);
  const parts: string[] = [];
  let pen = false;
  for (const { x, value } of thinned(points, width)) {
    if (value === null) pen = false;
    else {
      parts.push(`${pen ? "L" : "M"}${x.toFixed(1)},${y(value)}`);
      pen = true;
    }
  }
  // A lone point would be an invisible path.
  return parts.length === 1 ? `${parts[0]}h0.01` : parts.join("");
}

function thinned(points: readonly CurvePoint[], width: number): { x: number; value: number | null }[] {
  const spots = points.map(({ value }, index) => ({ x: xOf(index, points.length, width), value }));
  if (points.length <= 2 * width) return spots;
  const pixels = new Map<number, { low: number; high: number }>();
  for (const { x, value } of spots) {
    if (value === null) continue;
    const pixel = Math.round(x);
    const seen = pixels.get(pixel);
    pixels.set(pixel, { low: Math.min(value, seen?.low ?? value), high: Math.max(value, seen?.high ?? value) });
  }
  return [...pixels].flatMap(([x, { low, high }]) => [
    { x, value: low },
    { x, value: high },
  ]);
}
