import { describe, expect, it } from "vitest";
import { ema } from "../../lib/ema";
import { DEFAULT_SETTINGS } from "../series/chartSettings";
import { boundsOf, heatRange, isDrawable, ticks, xReach, yRange } from "./axis";

const LOG = { ...DEFAULT_SETTINGS, log: true };

describe("xReach", () => {
  it("puts a lone point into the middle, whatever reach uPlot thinks of", () => {
    expect(xReach([7], 7, 107, "step", false)).toEqual([6.5, 7.5]);
    expect(xReach([7], 7, 107, "step", true)).toEqual([6.5, 7.5]);
    expect(xReach([3600], 3600, 90000, "relative", false)).toEqual([1800, 5400]);
  });

  it("is all there is of several, with the halves of a heat map's outer columns", () => {
    expect(xReach([0, 5, 9], 0, 9, "step", false)).toEqual([0, 9]);
    expect(xReach([0, 5, 9], 0, 9, "step", true)).toEqual([-0.5, 9.5]);
  });
});

describe("yRange", () => {
  it("gives the values some air", () => {
    const [low, high] = yRange([[0, 10, null]], DEFAULT_SETTINGS);
    expect(low).toBeCloseTo(-0.6);
    expect(high).toBeCloseTo(10.6);
  });

  it("shows a share that never changes on its whole scale, off its edges", () => {
    const share = boundsOf("rollouts/samples/truncated_pct", "derived");
    for (const value of [0, 40, 100]) {
      expect(yRange([[value, value]], DEFAULT_SETTINGS, share)).toEqual([-6, 106]);
    }
    expect(yRange([[1, 1]], DEFAULT_SETTINGS, boundsOf("eval/aime24/pass@8", "derived"))).toEqual([-0.06, 1.06]);
    expect(yRange([[0, 50]], DEFAULT_SETTINGS, share)).toEqual([-3, 53]);
    expect(ticks(-6, 106, 5, share)).toEqual([0, 25, 50, 75, 100]);
    expect(ticks(-0.3, 5.3, 6, share)[0]).toBe(0);
    expect(ticks(-6, -2, 3, share)).not.toEqual([]);
    // What a trainer calls a percentage is its own affair.
    expect(boundsOf("actor/clip_pct", "logged")).toBeNull();
  });

  it("takes what was typed, each end on its own", () => {
    expect(yRange([[0, 10]], { ...DEFAULT_SETTINGS, yMin: 2 })).toEqual([2, expect.closeTo(10.6)]);
    expect(yRange([[0, 10]], { ...DEFAULT_SETTINGS, yMin: 2, yMax: 3 })).toEqual([2, 3]);
  });

  it("is never empty: not for a constant, not for nothing, not for a range typed upside down", () => {
    for (const [columns, settings] of [
      [[[5, 5]], DEFAULT_SETTINGS],
      [[[0]], DEFAULT_SETTINGS],
      [[[null]], DEFAULT_SETTINGS],
      [[], LOG],
      [[[1, 2]], { ...DEFAULT_SETTINGS, yMin: 9, yMax: 3 }],
      [[[4]], { ...LOG, yMin: -1 }],
    ] as const) {
      const [low, high] = yRange(columns, settings);
      expect(low).toBeLessThan(high);
      if (settings.log) expect(low).toBeGreaterThan(0);
    }
  });

  it("takes what differs in the last bits for one value, in the middle of the axis", () => {
    for (const value of [0.1, 0.7, -3.3, 4e-5, 1e30, 1e-290]) {
      const [low, high] = yRange([[value, value * (1 + 3 * Number.EPSILON)]], DEFAULT_SETTINGS);
      expect((high - low) / Math.abs(value)).toBeCloseTo(0.2);
      expect((value - low) / (high - value)).toBeCloseTo(1, 9);
    }
  });

  it("still shows what is small but real", () => {
    const [low, high] = yRange([[1, 1.000001]], DEFAULT_SETTINGS);
    expect(high - low).toBeCloseTo(1.12e-6, 8);
  });

  it("is a range for every size of number, smoothed or not", () => {
    const sizes = [0, 5e-324, 1e-300, 1e-30, 0.1, 1, 1e15, 1e30, 1e300, 1.7e308];
    for (const size of sizes) {
      for (const values of [
        [size, size, size],
        [-size, size],
        [0, size],
      ]) {
        const columns = [values, ema(values, 10)];
        for (const settings of [DEFAULT_SETTINGS, LOG]) {
          const shown = columns.map((column) => column.filter((v) => v !== null && (!settings.log || v > 0)));
          const [low, high] = yRange(shown, settings);
          expect(low).toBeLessThan(high);
          expect(Number.isFinite(high - low)).toBe(true);
          // ±1.7e308 is the one reach that no axis can have.
          if (size > 1e308 && !settings.log) continue;
          for (const value of shown.flat()) expect(value).toSatisfy((v: number) => v >= low && v <= high);
        }
      }
    }
  });
});

describe("heatRange", () => {
  it("is the bins', or what was typed, or room around the one value", () => {
    expect(heatRange([0, 1, 2], DEFAULT_SETTINGS)).toEqual([0, 2]);
    expect(heatRange([0, 1, 2], { ...DEFAULT_SETTINGS, yMax: 1 })).toEqual([0, 1]);
    expect(heatRange([0, 1, 2], { ...DEFAULT_SETTINGS, yMin: 7 })).toEqual([0, 2]);
    expect(isDrawable(...heatRange([0.1, 0.1 + Number.EPSILON / 8], DEFAULT_SETTINGS))).toBe(true);
  });
});

describe("ticks", () => {
  it("are round numbers inside the range", () => {
    expect(ticks(-0.06, 1.06, 6)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks(0.09, 0.11, 5)).toEqual([0.09, 0.095, 0.1, 0.105, 0.11]);
    expect(ticks(-1, 1, 4)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(ticks(9e-301, 1.1e-300, 4)).toEqual([9e-301, 9.5e-301, 1e-300, 1.05e-300, 1.1e-300]);
  });

  it("end, whatever the range", () => {
    for (const [low, high] of [
      [1, 1 + Number.EPSILON],
      [0, 5e-324],
      [-1.7e308, 1.7e308],
      [1e30, 1.1e30],
      [0, Number.POSITIVE_INFINITY],
      [2, 1],
      [3, 3],
    ] as const) {
      const places = ticks(low, high, 6);
      expect(places.length).toBeLessThan(10);
      for (const place of places) expect(place >= low && place <= high).toBe(true);
    }
  });
});
