/** Where a difference, its interval and zero lie on one axis. */

interface IntervalAxis {
  readonly low: number;
  readonly high: number;
  /** Round numbers on it, zero among them. */
  readonly ticks: readonly number[];
  /** Which side of zero the whole interval is on: 1, -1, or 0 where it holds zero. */
  readonly side: -1 | 0 | 1;
}

/** Room beside the outermost of the interval and zero, as a share of what lies between them. */
const ROOM = 0.2;

export function intervalAxis([from, to]: readonly [number, number]): IntervalAxis {
  const width = Math.max(0, to) - Math.min(0, from) || 1;
  const low = Math.min(0, from) - width * ROOM;
  const high = Math.max(0, to) + width * ROOM;
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? rough;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  const ticks = Array.from({ length: count }, (_, nth) => Number(((first + nth) * step).toPrecision(6)));
  return { low, high, ticks, side: from > 0 ? 1 : to < 0 ? -1 : 0 };
}
