/** Where steps and shares stand in a drawing of the given size. */

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
}

export const stepX =
  (frame: Frame, first: number, last: number) =>
  (step: number): number =>
    last === first
      ? (frame.left + frame.width) / 2
      : frame.left + ((step - first) / (last - first)) * (frame.width - frame.left - 4);

/** A line through the points that are there; a gap where one is missing. */
export function linePath(
  points: readonly (readonly [number, number | null])[],
  y: (value: number) => number,
  x: (step: number) => number,
): string {
  let isDrawing = false;
  return points
    .map(([step, value]) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const to = `${isDrawing ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
      // A single point between gaps is a dot: a line of no length with round ends.
      const dot = isDrawing ? "" : "h0.01";
      isDrawing = true;
      return to + dot;
    })
    .join("");
}

/** At most four round steps from 0 to the top. */
export function ticksTo(top: number): number[] {
  if (!(top > 0)) return [0];
  const rough = top / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, nth) => Number((nth * step).toPrecision(6)));
}

/** The step that is drawn nearest to a place. */
export function nearestStep(steps: readonly number[], x: (step: number) => number, at: number): number | null {
  let best: number | null = null;
  for (const step of steps) if (best === null || Math.abs(x(step) - at) < Math.abs(x(best) - at)) best = step;
  return best;
}
