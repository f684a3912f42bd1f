/**
 * From the points of a metric to the lines of a chart.
 *
 * The order matters and is the same everywhere: cut at the max step, drop the first step, leave out outliers, smooth.
 * What is left out is left out of the line, of the smoothing and of the axis, and is counted so that the chart can say so.
 */
import { smoothed, type Value } from "../../lib/ema";
import { fence, isInside } from "../../lib/outliers";
import type { ChartSettings } from "./chartSettings";

export type XAxis = "step" | "wall" | "relative";
export const X_AXES: readonly XAxis[] = ["step", "wall", "relative"];

/** A metric of one run, as the server answers. A value that is not finite is null and named in `nonfinite`. */
export interface SeriesData {
  readonly name: string;
  readonly steps: readonly number[];
  readonly values: readonly Value[];
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
  /** The smoothed values, or null where smoothing is off or the line is shorter than the span. */
  readonly smooth: readonly Value[] | null;
  /** What the source had where JSON has no word: "NaN" by place in the line. */
  readonly named: ReadonlyMap<number, string>;
  /** The usual distance between neighbouring points: how far a hover reaches to the line. */
  readonly spacing: number;
  readonly outliers: number;
  /** Values that a logarithmic axis cannot show. */
  readonly nonPositive: number;
  /** Points without a time, on a time axis. */
  readonly untimed: number;
}

/** When a run was at which step, by one of its logged metrics. What is derived from samples has no clock of its own, and
 * "since the start" must mean the same start on every chart. */
interface Clock {
  readonly at: ReadonlyMap<number, number>;
  readonly start: number | null;
}

export const NO_CLOCK: Clock = { at: new Map(), start: null };

export function clockOf(series: SeriesData): Clock {
  const at = new Map<number, number>();
  let start: number | null = null;
  series.steps.forEach((step, i) => {
    const time = series.times[i];
    if (time === null || time === undefined) return;
    at.set(step, time);
    if (start === null || time < start) start = time;
  });
  return { at, start };
}

export function lineOf(series: SeriesData, view: ViewOptions, settings: ChartSettings, clock: Clock = NO_CLOCK): Line {
  const all = placed(inStepOrder(series, view.axis, clock), view.axis, clock);
  const points = withinLimits(all, settings.ignoreFirst ? 1 : 0, view.maxStep);
  // An outlier's point goes altogether: the line joins its neighbours, and a gap keeps meaning that nothing was logged.
  const range = settings.ignoreOutliers ? fence(points.values, settings.k) : null;
  const kept = range ? places(points).filter((i) => isInside(range, points.values[i] ?? range.low)) : null;
  const { x, steps, values, named } = kept ? taken(points, kept) : points;
  const smooth = view.span === null ? null : smoothed(values, view.span);
  return {
    x,
    steps,
    raw: settings.log ? values.map(positive) : values,
    smooth: settings.log && smooth ? smooth.map(positive) : smooth,
    named,
    spacing: spacing(x),
    outliers: points.x.length - x.length,
    nonPositive: settings.log ? values.filter((value) => value !== null && value <= 0).length : 0,
    untimed: points.untimed,
  };
}

/** Without the first `drop` points and those after the max step; the same columns where that leaves all. */
function withinLimits(points: Columns, drop: number, maxStep: number | null): Columns {
  if (drop === 0 && maxStep === null) return points;
  const limit = maxStep ?? Number.POSITIVE_INFINITY;
  return taken(
    points,
    places(points)
      .slice(drop)
      .filter((i) => (points.steps[i] as number) <= limit),
  );
}

function places(points: Columns): number[] {
  return Array.from({ length: points.x.length }, (_, i) => i);
}

/** A series as columns: ten thousand points are four arrays, not ten thousand objects. */
interface Columns {
  readonly x: readonly number[];
  readonly steps: readonly number[];
  readonly values: readonly Value[];
  readonly times: readonly (number | null)[];
  readonly named: ReadonlyMap<number, string>;
  readonly untimed: number;
}

function pick<T>(values: readonly T[], places: readonly number[]): T[] {
  return places.map((place) => values[place] as T);
}

function renumbered(named: ReadonlyMap<number, string>, places: readonly number[]): Map<number, string> {
  return new Map(places.flatMap((place, i) => (named.has(place) ? [[i, named.get(place) as string] as const] : [])));
}

function positive(value: Value): Value {
  return value !== null && value <= 0 ? null : value;
}

/** By step, ascending. A run that was resumed logs a step again: the later value counts. */
function inStepOrder({ steps, values, times, nonfinite }: SeriesData, axis: XAxis, clock: Clock): Columns {
  const all: Columns = {
    x: steps,
    steps,
    values,
    times: axis === "step" ? [] : steps.map((step, i) => times[i] ?? clock.at.get(step) ?? null),
    named: new Map(Object.entries(nonfinite).map(([place, name]) => [Number(place), name])),
    untimed: 0,
  };
  if (steps.every((step, i) => i === 0 || step > (steps[i - 1] as number))) return all;
  const last = new Map(steps.map((step, i) => [step, i]));
  return taken(
    all,
    [...last].sort(([a], [b]) => a - b).map(([, place]) => place),
  );
}

function taken(columns: Columns, places: readonly number[]): Columns {
  return {
    ...columns,
    x: pick(columns.x, places),
    steps: pick(columns.steps, places),
    values: pick(columns.values, places),
    times: columns.times.length > 0 ? pick(columns.times, places) : columns.times,
    named: columns.named.size > 0 ? renumbered(columns.named, places) : columns.named,
  };
}

/** On the asked axis. Points without a time have no place on a clock. */
function placed(columns: Columns, axis: XAxis, clock: Clock): Columns {
  if (axis === "step") return columns;
  const { times } = columns;
  const places = times.flatMap((time, i) => (time === null ? [] : [i]));
  places.sort((a, b) => (times[a] as number) - (times[b] as number));
  const timed = taken(columns, places);
  const start = axis === "relative" ? (clock.start ?? timed.times[0] ?? 0) : 0;
  return {
    ...timed,
    x: timed.times.map((time) => (time as number) - start),
    untimed: times.length - places.length,
  };
}

/** A column of uPlot's: null draws a gap, undefined (this run has no point at that x) is drawn through. */
export type Column = readonly (number | null | undefined)[];

interface Aligned {
  readonly x: readonly number[];
  /** Per line, its raw values at x. */
  readonly raw: Column[];
  /** Per line, its smoothed values at x, or null where it is not smoothed. */
  readonly smooth: (Column | null)[];
}

/** Several runs' lines on one x column, as uPlot wants them. */
export function align(lines: readonly Line[]): Aligned {
  const [only] = lines;
  if (only && lines.length === 1) {
    // uPlot only reads them.
    return { x: only.x, raw: [only.raw], smooth: [only.smooth] };
  }
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  const placeOf = new Map(x.map((value, i) => [value, i]));
  const spread = (line: Line, values: readonly Value[]): Column => {
    const column = new Array<Value | undefined>(x.length).fill(undefined);
    line.x.forEach((value, i) => {
      column[placeOf.get(value) as number] = values[i];
    });
    return column;
  };
  return {
    x,
    raw: lines.map((line) => spread(line, line.raw)),
    smooth: lines.map((line) => line.smooth && spread(line, line.smooth)),
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

/** The median distance between neighbouring points, whatever one long gap says. */
export function spacing(xs: readonly number[]): number {
  if (xs.length < 2) return Number.POSITIVE_INFINITY;
  const gaps = new Float64Array(xs.length - 1);
  let isEven = true;
  for (let i = 0; i < gaps.length; i++) {
    gaps[i] = (xs[i + 1] as number) - (xs[i] as number);
    isEven &&= gaps[i] === gaps[0];
  }
  // Nearly always every step is logged: nothing to sort.
  return (isEven ? gaps[0] : gaps.sort()[gaps.length >> 1]) as number;
}

/** This many times the usual distance between points, and nobody was training in between. */
const PAUSE = 20;

/** On a time axis: places after which a run stood still or was taken up again at an earlier step. No line leads across,
 * which would show a slow change, or one back to a step before, where there was none. */
export function pauses({ x, steps, spacing }: Pick<Line, "x" | "steps" | "spacing">): number[] {
  const found: number[] = [];
  for (let i = 0; i + 1 < x.length; i++) {
    const distance = (x[i + 1] as number) - (x[i] as number);
    const goesBack = (steps[i + 1] as number) <= (steps[i] as number);
    if (goesBack || (spacing > 0 && distance > PAUSE * spacing)) found.push(i);
  }
  return found;
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
