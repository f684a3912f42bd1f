import { describe, expect, it } from "vitest";
import type { ChartRun } from "../ChartsContext";
import { DEFAULT_SETTINGS } from "../series/chartSettings";
import { lineOf, type ViewOptions } from "../series/series";
import type { RunLine } from "../series/useChartData";
import { plotModel, readingsAt, stepAt, structureOf, xOfStep } from "./plotModel";

const a: ChartRun = { id: "a", name: "first", colour: "--run-1" };
const b: ChartRun = { id: "b", name: "second", colour: "--run-2" };
const view: ViewOptions = { axis: "step", span: 3, maxStep: null };

function line(run: ChartRun, points: [number, number | null][], times: number[] = [], axis = view.axis) {
  const nonfinite = Object.fromEntries(points.flatMap(([, v], i) => (v === null ? [[String(i), "NaN"]] : [])));
  const [steps, values] = [points.map(([step]) => step), points.map(([, value]) => value)];
  return { run, line: lineOf({ name: "m", steps, values, times, nonfinite }, { ...view, axis }, DEFAULT_SETTINGS) };
}

const lines = [
  line(a, [
    [0, 1],
    [1, 3],
    [2, null],
    [3, 5],
  ]),
  line(b, [
    [-1, 7],
    [0, 7],
    [1, 9],
  ]),
];
const model = plotModel({ state: "lines", lines }, "step", DEFAULT_SETTINGS);

describe("plotModel", () => {
  it("draws raw lines faint behind smoothed ones, the open run on top", () => {
    expect(model.strokes.map(({ run, faint }) => [run.id, faint])).toEqual([
      ["b", true],
      ["a", true],
      ["b", false],
      ["a", false],
    ]);
    expect(model.data[2]).toEqual([undefined, 1, 3, null, 5]);
    expect(model.data[4]).toEqual([undefined, 1, 2, null, 3.5]);
  });

  it("draws a line that is too short to be smoothed once, and full", () => {
    const short = line(b, [[0, 7]]);
    const mixed = plotModel({ state: "lines", lines: [lines[0] as RunLine, short] }, "step", DEFAULT_SETTINGS);
    expect(mixed.strokes.map(({ run, faint }) => [run.id, faint])).toEqual([
      ["a", true],
      ["b", false],
      ["a", false],
    ]);
    expect(mixed.data[2]).toEqual([7, undefined, undefined, undefined]);
  });

  it("marks a point that no line reaches", () => {
    expect(model.strokes[1]?.dots).toEqual([4]);
  });

  it("keeps its canvas while only points change", () => {
    const grown = [0, 1, 2, 3, 4].map((step): [number, number] => [step, step]);
    const more = [line(a, grown), line(b, grown)];
    expect(structureOf(plotModel({ state: "lines", lines: more }, "step", DEFAULT_SETTINGS))).toBe(structureOf(model));
    const logarithmic = plotModel({ state: "lines", lines }, "step", { ...DEFAULT_SETTINGS, log: true });
    expect(structureOf(logarithmic)).not.toBe(structureOf(model));
  });
});

describe("readingsAt", () => {
  it("has smoothed and raw values per run", () => {
    expect(readingsAt(model, 1, 0).map(({ run, value, raw }) => [run.id, value, raw])).toEqual([
      ["a", 2, 3],
      ["b", 8, 9],
    ]);
  });

  it("has nothing of a run that has ended, and the word for what was no number", () => {
    expect(readingsAt(model, 3, 0).map(({ run }) => run.id)).toEqual(["a"]);
    expect(readingsAt(model, 2, 0)[0]).toMatchObject({ value: null, raw: null, named: "NaN" });
  });
});

describe("steps and places", () => {
  it("finds the step under the cursor on any axis", () => {
    expect(stepAt(model, 1.4)).toBe(1);
    const timed = [
      line(
        a,
        [
          [10, 1],
          [20, 2],
        ],
        [1000, 2000],
        "wall",
      ),
    ];
    const onClock = plotModel({ state: "lines", lines: timed }, "wall", DEFAULT_SETTINGS);
    expect(stepAt(onClock, 1900)).toBe(20);
    expect(xOfStep(onClock, 10)).toBe(1000);
    expect(xOfStep(onClock, 15)).toBeNull();
  });

  it("knows a heat map's steps", () => {
    const heat = { steps: [0, 4, 8], edges: [0, 1], counts: [[1], [1], [1]] };
    const hot = plotModel({ state: "heat", run: a, heat }, "wall", { ...DEFAULT_SETTINGS, log: true });
    expect(hot.axis).toBe("step");
    expect(hot.settings.log).toBe(false);
    expect(stepAt(hot, 5)).toBe(4);
  });
});
