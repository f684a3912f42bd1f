import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "./chartSettings";
import {
  align,
  clockOf,
  isolated,
  type Line,
  lineOf,
  nearest,
  pauses,
  type SeriesData,
  spacing,
  type ViewOptions,
} from "./series";

const VIEW: ViewOptions = { axis: "step", span: null, maxStep: null };

function series(points: [number, number | null][], more: Partial<SeriesData> = {}): SeriesData {
  const [steps, values] = [points.map(([step]) => step), points.map(([, value]) => value)];
  return { name: "m", steps, values, times: [], nonfinite: {}, ...more };
}

describe("lineOf", () => {
  it("keeps a missing value missing", () => {
    const line = lineOf(
      series(
        [
          [0, 1],
          [1, null],
          [2, 3],
        ],
        { nonfinite: { "1": "NaN" } },
      ),
      VIEW,
      DEFAULT_SETTINGS,
    );
    expect(line.raw).toEqual([1, null, 3]);
    expect(line.named.get(1)).toBe("NaN");
  });

  it("keeps the words for what was no number with their points, whatever is left out before them", () => {
    const data = series(
      [
        [3, 1],
        [1, 2],
        [2, null],
      ],
      { nonfinite: { "2": "Infinity" } },
    );
    const line = lineOf(data, VIEW, { ...DEFAULT_SETTINGS, ignoreFirst: true });
    expect(line.steps).toEqual([2, 3]);
    expect([...line.named]).toEqual([[0, "Infinity"]]);
  });

  it("leaves outliers out of the line and of the smoothing", () => {
    const points: [number, number][] = [1, 2, 1, 1e6, 2, 1].map((value, step) => [step, value]);
    const line = lineOf(series(points), { ...VIEW, span: 3 }, { ...DEFAULT_SETTINGS, ignoreOutliers: true });
    expect(line.steps).toEqual([0, 1, 2, 4, 5]);
    expect(line.raw).not.toContain(1e6);
    expect(Math.max(...(line.smooth ?? []).map((v) => v ?? 0))).toBeLessThanOrEqual(2);
    expect(line.outliers).toBe(1);
  });

  it("draws a line of fewer values than the span as it was logged", () => {
    const points: [number, number][] = [
      [0, 0],
      [10, 1],
      [20, 1],
    ];
    expect(lineOf(series(points), { ...VIEW, span: 4 }, DEFAULT_SETTINGS).smooth).toBeNull();
    expect(lineOf(series(points), { ...VIEW, span: 3 }, DEFAULT_SETTINGS).smooth).toEqual([0, 0.5, 0.75]);
  });

  it("drops the first step of the run before it looks for outliers", () => {
    const points: [number, number][] = [
      [5, 1e6],
      [6, 1],
      [7, 2],
      [8, 1],
      [9, 2],
    ];
    const settings = { ...DEFAULT_SETTINGS, ignoreFirst: true, ignoreOutliers: true };
    const line = lineOf(series(points), VIEW, settings);
    expect(line.steps).toEqual([6, 7, 8, 9]);
    expect(line.outliers).toBe(0);
  });

  it("cuts at the max step", () => {
    expect(
      lineOf(
        series([
          [0, 1],
          [10, 2],
          [20, 3],
        ]),
        { ...VIEW, maxStep: 10 },
        DEFAULT_SETTINGS,
      ).steps,
    ).toEqual([0, 10]);
  });

  it("takes the later value of a step that was logged twice, in step order", () => {
    const line = lineOf(
      series([
        [0, 1],
        [7, 2],
        [6, 3],
        [7, 4],
      ]),
      VIEW,
      DEFAULT_SETTINGS,
    );
    expect(line.steps).toEqual([0, 6, 7]);
    expect(line.raw).toEqual([1, 3, 4]);
  });

  it("puts points on the clock, or on seconds since the first, and counts those without a time", () => {
    const data = series(
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      { times: [1000, null, 1060] },
    );
    const wall = lineOf(data, { ...VIEW, axis: "wall" }, DEFAULT_SETTINGS);
    expect(wall.x).toEqual([1000, 1060]);
    expect(wall.untimed).toBe(1);
    const relative = lineOf(data, { ...VIEW, axis: "relative" }, DEFAULT_SETTINGS);
    expect(relative.x).toEqual([0, 60]);
    expect(relative.steps).toEqual([0, 2]);
  });

  it("takes the run's clock for what has no times of its own, and its start for all", () => {
    const clock = clockOf(
      series(
        [
          [0, 1],
          [1, 1],
          [2, 1],
        ],
        { times: [1000, 1060, null] },
      ),
    );
    const derived = series([
      [1, 5],
      [2, 6],
    ]);
    const line = lineOf(derived, { ...VIEW, axis: "relative" }, DEFAULT_SETTINGS, clock);
    expect(line.x).toEqual([60]);
    expect(line.untimed).toBe(1);
  });

  it("breaks on a time axis where a run was resumed, and never goes back in time", () => {
    const resumed = series(
      [
        [0, 1],
        [1, 2],
        [4, 5],
        [2, 3],
        [3, 4],
      ],
      { times: [1000, 1060, 1240, 9000, 9060] },
    );
    const line = lineOf(resumed, { ...VIEW, axis: "wall" }, DEFAULT_SETTINGS);
    expect(line.x).toEqual([1000, 1060, 1240, 9000, 9060]);
    expect(pauses(line)).toEqual([2]);
    expect(pauses({ x: [0, 1, 2, 3, 99, 100], steps: [0, 1, 2, 3, 4, 5], spacing: 1 })).toEqual([3]);
    expect(pauses({ x: [0, 1, 5], steps: [0, 1, 2], spacing: 1 })).toEqual([]);
  });

  it("has no line on a time axis when the run logged no times", () => {
    const line = lineOf(
      series([
        [0, 1],
        [1, 2],
      ]),
      { ...VIEW, axis: "wall" },
      DEFAULT_SETTINGS,
    );
    expect(line.x).toEqual([]);
    expect(line.untimed).toBe(2);
  });

  it("shows no zero and nothing negative on a logarithmic axis, and says how many", () => {
    const line = lineOf(
      series([
        [0, 0],
        [1, -1],
        [2, 10],
      ]),
      { ...VIEW, span: 3 },
      { ...DEFAULT_SETTINGS, log: true },
    );
    expect(line.raw).toEqual([null, null, 10]);
    expect(line.nonPositive).toBe(2);
  });
});

const at = (x: number[], raw: (number | null)[], smooth: Line["smooth"] = null): Line => ({
  x,
  steps: x,
  raw,
  smooth,
  named: new Map(),
  spacing: 1,
  outliers: 0,
  nonPositive: 0,
  untimed: 0,
});

describe("align", () => {
  it("puts runs on one x; a step another run lacks is no gap, a missing value is", () => {
    const { x, raw, smooth } = align([at([0, 1, 2], [1, null, 3]), at([0, 2, 4], [5, 6, 7])]);
    expect(x).toEqual([0, 1, 2, 4]);
    expect(raw).toEqual([
      [1, null, 3, undefined],
      [5, undefined, 6, 7],
    ]);
    expect(smooth).toEqual([null, null]);
  });

  it("takes a lone run as it is", () => {
    expect(align([at([0, 2], [1, null], [1, null])])).toEqual({ x: [0, 2], raw: [[1, null]], smooth: [[1, null]] });
  });

  it("carries the smoothed values alongside", () => {
    expect(align([at([0, 1], [1, 3], [1, 2])]).smooth).toEqual([[1, 2]]);
  });
});

describe("nearest", () => {
  it("finds the closest point, the earlier one on a tie", () => {
    expect(nearest([0, 10, 20], 14)).toBe(1);
    expect(nearest([0, 10, 20], 16)).toBe(2);
    expect(nearest([0, 10, 20], 15)).toBe(1);
    expect(nearest([0, 10, 20], -5)).toBe(0);
    expect(nearest([0, 10, 20], 99)).toBe(2);
  });

  it("does not reach beyond where a run ended", () => {
    expect(nearest([0, 1, 2], 50, 1)).toBeNull();
    expect(nearest([], 1)).toBeNull();
  });
});

describe("spacing", () => {
  it("is the usual distance, whatever one long gap says", () => {
    expect(spacing([0, 1, 2, 3, 500])).toBe(1);
    expect(spacing([3])).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("isolated", () => {
  it("finds the points that no line reaches", () => {
    expect(isolated([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(isolated([null, 1, undefined, null])).toEqual([1]);
    expect(isolated([1, undefined, 2])).toEqual([]);
    expect(isolated([7])).toEqual([0]);
    expect(isolated([null, null])).toEqual([]);
  });
});
