/**
 * From the points of a metric to the lines of a chart.
 *
 * The order matters and is the same everywhere: cut at the max step, drop the first step, leave out outliers, smooth.
 * What is left out is left out of the line, of the smoothing and of the axis, and is counted so that the chart can say so.
 */
import { ema, type Value } from "./ema";
import { fence, isInside } from "./outliers";
import type { ChartSettings } from "./seriesSettings";

export type XAxis = "step" | "wall" | "relative";
export const X_AXES: readonly XAxis[] = ["step", "wall", "relative"];

/** A metric of one run, as the server answers. A value that is not finite is null and named in `nonfinite`. */
export interface SeriesData {
  readonly name: string;
  readonly points: readonly (readonly [number, Value])[];
  readonly times: readonly (number | null)[];
  readonly nonfinite: Readonly<Record<string, string>>;
}

export interface ViewOptions {
  readonly axis: XAxis;
  readonly span: number | null;
  readonly maxStep: number | null;
}

/** One run's line: columns of one length, ascending in x. */
export interface Line {
  readonly x: readonly number[];
  readonly steps: readonly number[];
  readonly raw: readonly Value[];
  /** The smoothed values, or null when smoothing is off. */
  readonly smooth: readonly Value[] | null;
  /** What the source had where JSON has no word: "NaN" by place in the line. */
  readonly named: ReadonlyMap<number, string>;
  readonly outliers: number;
  /** Values that a logarithmic axis cannot show. */
  readonly nonPositive: number;
  /** Points without a time, on a time axis. */
  readonly untimed: number;
}

interface Point {
  readonly x: number;
  readonly step: number;
  readonly value: Value;
  readonly name: string | undefined;
}

export function lineOf(series: SeriesData, view: ViewOptions, settings: ChartSettings): Line {
  const { points, untimed } = place(series, view.axis);
  const shown = points.filter(
    (point, i) => !(settings.ignoreFirst && i === 0) && (view.maxStep === null || point.step <= view.maxStep),
  );
  // An outlier's point goes altogether: the line joins its neighbours, and a gap keeps meaning that nothing was logged.
  const range = settings.ignoreOutliers
    ? fence(
        shown.map((point) => point.value),
        settings.k,
      )
    : null;
  const kept = range ? shown.filter(({ value }) => value === null || isInside(range, value)) : shown;
  const values = kept.map((point) => point.value);
  const smooth = view.span === null ? null : ema(values, view.span);
  const cut = settings.log ? (value: Value) => (value !== null && value <= 0 ? null : value) : null;
  const named = new Map<number, string>();
  kept.forEach((point, i) => {
    if (point.name !== undefined) named.set(i, point.name);
  });
  return {
    x: kept.map((point) => point.x),
    steps: kept.map((point) => point.step),
    raw: cut ? values.map(cut) : values,
    smooth: cut && smooth ? smooth.map(cut) : smooth,
    named,
    outliers: shown.length - kept.length,
    nonPositive: cut ? values.filter((value) => value !== null && value <= 0).length : 0,
    untimed,
  };
}

/** The points on the asked axis, ascending. A run that was resumed logs a step again: the later value counts. */
function place(series: SeriesData, axis: XAxis): { points: Point[]; untimed: number } {
  const byStep = new Map<number, Point & { time: number | null }>();
  series.points.forEach(([step, value], i) => {
    byStep.set(step, { x: step, step, value, name: series.nonfinite[String(i)], time: series.times[i] ?? null });
  });
  const points = [...byStep.values()].sort((a, b) => a.step - b.step);
  if (axis === "step") return { points, untimed: 0 };

  const timed = points.filter((point) => point.time !== null).sort((a, b) => (a.time as number) - (b.time as number));
  const start = axis === "relative" ? ((timed[0]?.time as number | undefined) ?? 0) : 0;
  return {
    points: timed.map((point) => ({ ...point, x: (point.time as number) - start })),
    untimed: points.length - timed.length,
  };
}

/** A column of uPlot's: null draws a gap, undefined (this run has no point at that x) is drawn through. */
export type Column = (number | null | undefined)[];

export interface Aligned {
  readonly x: number[];
  /** Per line, its raw values at x. */
  readonly raw: Column[];
  /** Per line, its smoothed values at x; empty when smoothing is off. */
  readonly smooth: Column[];
}

/** Several runs' lines on one x column, as uPlot wants them. */
export function align(lines: readonly Line[]): Aligned {
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  const placeOf = new Map(x.map((value, i) => [value, i]));
  const spread = (line: Line, values: readonly Value[]): Column => {
    const column: Column = new Array<undefined>(x.length).fill(undefined);
    line.x.forEach((value, i) => {
      column[placeOf.get(value) as number] = values[i];
    });
    return column;
  };
  return {
    x,
    raw: lines.map((line) => spread(line, line.raw)),
    smooth: lines.flatMap((line) => (line.smooth ? [spread(line, line.smooth)] : [])),
  };
}

/** The place of the point nearest to x, at most `reach` away; null where the line has none there. */
export function nearest(xs: readonly number[], x: number, reach: number = Number.POSITIVE_INFINITY): number | null {
  if (xs.length === 0) return null;
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] as number) < x) low = middle + 1;
    else high = middle;
  }
  const after = xs[low] as number;
  const before = low > 0 ? (xs[low - 1] as number) : after;
  const place = low > 0 && x - before <= after - x ? low - 1 : low;
  return Math.abs((xs[place] as number) - x) <= reach ? place : null;
}

/** The median distance between neighbouring points: how far a hover reaches to a line. */
export function spacing(xs: readonly number[]): number {
  if (xs.length < 2) return Number.POSITIVE_INFINITY;
  const gaps = Float64Array.from(xs.slice(1), (x, i) => x - (xs[i] as number)).sort();
  return gaps[gaps.length >> 1] as number;
}

/** The places of points with no neighbour to draw a line to. They need a dot, or they would not be seen. */
export function isolated(column: ArrayLike<number | null | undefined>): number[] {
  const places: number[] = [];
  let before: number | null = null;
  let candidate: number | null = null;
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    if (value === undefined) continue;
    if (value !== null && before === null) candidate = i;
    else if (value !== null) candidate = null;
    else if (candidate !== null) {
      places.push(candidate);
      candidate = null;
    }
    before = value;
  }
  if (candidate !== null) places.push(candidate);
  return places;
}

/** The Y range of a chart: what was typed, else the values with a little air; never empty. */
export function yRange(columns: readonly ArrayLike<Value | undefined>[], settings: ChartSettings): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) {
      const value = column[i];
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) [low, high] = settings.log ? [0.1, 10] : [0, 1];
  const [airLow, airHigh] = settings.log ? airInDecades(low, high) : air(low, high);
  const min = settings.yMin !== null && !(settings.log && settings.yMin <= 0) ? settings.yMin : airLow;
  const max = settings.yMax ?? airHigh;
  return min < max ? [min, max] : [airLow, airHigh];
}

function air(low: number, high: number): [number, number] {
  if (low === high) {
    const half = low === 0 ? 1 : Math.abs(low) * 0.1;
    return [low - half, high + half];
  }
  const room = (high - low) * 0.06;
  return [low - room, high + room];
}

function airInDecades(low: number, high: number): [number, number] {
  const factor = low === high ? 2 : (high / low) ** 0.06;
  return [low / factor, high * factor];
}
