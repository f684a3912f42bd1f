import { describe, expect, it } from "vitest";
import { formatLogTicks, formatRelative, formatRelativeTicks, formatTicks, formatX } from "./axisLabels";

describe("formatTicks", () => {
  it("gives labels of one axis the same decimals", () => {
    expect(formatTicks([0, 0.25, 0.5, 0.75, 1])).toEqual(["0", "0.25", "0.50", "0.75", "1.00"]);
    expect(formatTicks([0, 0.2, 0.4])).toEqual(["0", "0.2", "0.4"]);
    expect(formatTicks([1000, 1200, 1400])).toEqual(["1000", "1200", "1400"]);
  });

  it("shortens what is large or tiny", () => {
    expect(formatTicks([0, 5000, 10_000])).toEqual(["0", "5k", "10k"]);
    expect(formatTicks([2_000_000, 2_500_000])).toEqual(["2.0M", "2.5M"]);
    expect(formatTicks([0, 0.000_01, 0.000_02])).toEqual(["0", "1e−5", "2e−5"]);
  });

  it("writes what is too large or too small for words with its power of ten", () => {
    expect(formatTicks([1e15, 1.5e15, 2e15])).toEqual(["1e15", "1.5e15", "2e15"]);
    expect(formatTicks([-2e30, 0, 2e30])).toEqual(["−2e30", "0", "2e30"]);
    expect(formatTicks([0, 2.5e9, 5e9])).toEqual(["0", "2.5B", "5.0B"]);
    expect(formatTicks([9e-301, 1e-300, 1.1e-300])).toEqual(["9e−301", "1e−300", "1.1e−300"]);
    expect(formatTicks([2.75e-5, 3e-5, 3.25e-5])).toEqual(["2.75e−5", "3e−5", "3.25e−5"]);
  });

  it("tells neighbours apart on an axis that reaches over little", () => {
    expect(formatTicks([0.300001, 0.300002])).toEqual(["0.300001", "0.300002"]);
    expect(formatTicks([1, 1.00000005])).toEqual(["1e0", "1.00000005e0"]);
  });

  it("leaves out what uPlot left out", () => {
    expect(formatTicks([1, null, 3])).toEqual(["1", "", "3"]);
    expect(formatLogTicks([0.001, null, 10, 100_000])).toEqual(["1e−3", "", "10", "1e5"]);
  });
});

describe("times", () => {
  it("counts from the start of the run", () => {
    expect(formatRelative(45)).toBe("0:45");
    expect(formatRelative(3 * 3600 + 5 * 60)).toBe("3:05:00");
    expect(formatRelative(90_000)).toBe("1 d 1 h");
    expect(formatRelativeTicks([0, 3600, 7200])).toEqual(["0 h", "1 h", "2 h"]);
    expect(formatRelativeTicks([0, 1800])).toEqual(["0 h", "0.5 h"]);
  });

  it("says where a point is in the axis's own words", () => {
    expect(formatX(1200, "step")).toBe("step 1,200");
    expect(formatX(61, "relative")).toBe("1:01");
    expect(formatX(0, "wall")).toMatch(/^19(69|70)-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });
});
