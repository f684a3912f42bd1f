/**
 * The reach of a chart's axes and the places of its figures, for numbers of any size.
 *
 * A constant metric is the usual case, not the odd one (a learning rate, a clip fraction of 0, a KL that is off). What is
 * computed from a constant may differ from it in the last bit; an axis over that bit would draw noise as a fall from top
 * to bottom, and its figures would need more digits than numbers have.
 */
import type { Value } from "../../lib/ema";
import type { ChartSettings } from "../series/chartSettings";
import type { XAxis } from "../series/series";

export type Range = [low: number, high: number];

/** Values closer together than this, beside their size, are one value. Single precision, in which most metrics are
 * computed, tells 6e-8 apart. */
const FLAT = 1e-9;
/** Air above and below the line, as a share of its reach. */
const AIR = 0.06;
const LARGEST = Number.MAX_VALUE;
/** Below this, numbers lose digits and a tenth of one may be nothing. */
const SMALLEST = 1e-300;

function isFlat(low: number, high: number): boolean {
  return high - low <= FLAT * Math.max(Math.abs(low), Math.abs(high));
}

/** Whether an axis can have this reach: ascending, finite, and wider than rounding. */
export function isDrawable(low: number, high: number): boolean {
  const reach = high - low;
  return Number.isFinite(reach) && reach > 1e-12 * Math.max(Math.abs(low), Math.abs(high));
}

/** Ends that no value of such a metric can lie beyond: of what the viewer itself counts, the name says that it is a share. */
export function boundsOf(name: string, origin: "logged" | "derived"): Range | null {
  if (origin === "logged") return null;
  return /[_/]pct$/.test(name) ? [0, 100] : /\/pass[@^]\d+$/.test(name) ? [0, 1] : null;
}

/** The Y range of a chart: what was typed, else the values with a little air; never empty. A share that never changes
 * has its whole scale, on which one sees how much it is, with air beside both ends: a line on the edge is not seen. */
export function yRange(
  columns: readonly ArrayLike<Value | undefined>[],
  settings: ChartSettings,
  bounds: Range | null = null,
): Range {
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
  const isFlatShare = bounds !== null && isFlat(low, high) && low >= bounds[0] && high <= bounds[1];
  const [from, to] = isFlatShare ? bounds : [low, high];
  const [airLow, airHigh] = settings.log ? airInDecades(low, high) : air(from, to);
  const min = settings.yMin !== null && !(settings.log && settings.yMin <= 0) ? settings.yMin : airLow;
  const max = settings.yMax ?? airHigh;
  return isDrawable(min, max) ? [min, max] : [airLow, airHigh];
}

const HALF_AN_HOUR = 1800;

/** The X range of all places from `min` to `max`. A lone one stands in the middle: uPlot would lead its axis on to 100
 * steps, or a day, that nobody took. A heat map's columns reach half a step past the first and last. */
export function xReach(places: readonly number[], min: number, max: number, axis: XAxis, isHeat: boolean): Range {
  const alone = axis === "step" ? 0.5 : HALF_AN_HOUR;
  const [first] = places;
  if (first !== undefined && places.length === 1) return [first - alone, first + alone];
  const room = isHeat ? 0.5 : min === max ? alone : 0;
  return [min - room, max + room];
}

/** The Y range of a heat map: what was typed, else its bins. */
export function heatRange(edges: readonly number[], { yMin, yMax }: ChartSettings): Range {
  const [low, high] = [edges[0] ?? 0, edges.at(-1) ?? 1];
  const [min, max] = [yMin ?? low, yMax ?? high];
  if (isDrawable(min, max)) return [min, max];
  return isDrawable(low, high) ? [low, high] : air(low, low);
}

function air(low: number, high: number): Range {
  if (isFlat(low, high)) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    const half = size < SMALLEST ? (size === 0 ? 1 : SMALLEST) : size * 0.1;
    return [Math.max(-LARGEST, low - half), Math.min(LARGEST, high + half)];
  }
  const room = (high - low) * AIR;
  if (Number.isFinite(high + room - (low - room))) return [low - room, high + room];
  // The reach of ±1e308 is more than a number can hold: such lines run out of the chart above and below.
  return Number.isFinite(high - low) ? [low, high] : [-LARGEST / 4, LARGEST / 4];
}

function airInDecades(low: number, high: number): Range {
  const factor = isFlat(low, high) ? 2 : (high / low) ** AIR;
  const above = high * (Number.isFinite(factor) ? factor : 10);
  return [Math.max(Number.MIN_VALUE, low / (Number.isFinite(factor) ? factor : 10)), Math.min(LARGEST, above)];
}

/** Round numbers inside a range, ascending, about `count` of them; none where no value can be. */
export function ticks(low: number, high: number, count: number, bounds: Range | null = null): number[] {
  const parts = Math.max(2, count);
  // Divided before it is subtracted, so that the widest range has its figures too.
  const step = roundStep(high / parts - low / parts);
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const places: number[] = [];
  const first = Math.ceil(low / step);
  for (let i = 0; i <= parts; i++) {
    const place = multiple(first + i, step);
    if (place > high) break;
    if (place >= low && place !== places.at(-1)) places.push(place);
  }
  // Where someone typed a range outside of them, its figures say so.
  const possible = bounds ? places.filter((place) => place >= bounds[0] && place <= bounds[1]) : places;
  return possible.length > 0 ? possible : places;
}

/** 1, 2, 2.5 or 5 times a power of ten, the first that is not below the size. */
function roundStep(size: number): number {
  const power = Math.floor(Math.log10(size));
  const steps = [1, 2, 2.5, 5, 10].map((digit) => Number(`${digit}e${power}`));
  return steps.find((step) => step >= size * (1 - 1e-9)) ?? 0;
}

/** A whole multiple of a round step, without the digits that multiplying in binary adds (0.30000000000000004). */
function multiple(times: number, step: number): number {
  const value = times * step;
  return times === 0 ? 0 : Number(value.toPrecision(15));
}
