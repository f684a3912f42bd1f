import { describe, expect, it } from "vitest";
import { changedCount, DEFAULT_SETTINGS, parseBound, parseSettings, rangeProblem } from "./chartSettings";

describe("parseSettings", () => {
  it("gives back what was saved", () => {
    const saved = {
      ignoreOutliers: true,
      k: 3,
      ignoreFirst: true,
      band: "range",
      yMin: -1,
      yMax: 2.5,
      log: false,
      more: ["loss"],
    };
    expect(parseSettings(JSON.parse(JSON.stringify(saved)))).toEqual(saved);
  });

  it("falls back for anything else", () => {
    for (const junk of [null, "x", 7, [], { k: -1, yMin: "low", log: "yes" }, { k: Number.NaN }]) {
      expect(parseSettings(junk)).toEqual(DEFAULT_SETTINGS);
    }
  });
});

describe("changedCount", () => {
  it("counts a manual range once", () => {
    expect(changedCount(DEFAULT_SETTINGS)).toBe(0);
    expect(changedCount({ ...DEFAULT_SETTINGS, yMin: 0, yMax: 1, log: true })).toBe(2);
  });
});

describe("rangeProblem", () => {
  it("names an empty range", () => {
    expect(rangeProblem({ ...DEFAULT_SETTINGS, yMin: 2, yMax: 1 })).toMatch(/below the maximum/);
    expect(rangeProblem({ ...DEFAULT_SETTINGS, yMin: 2 })).toBeNull();
  });

  it("knows that logarithms end at zero", () => {
    expect(rangeProblem({ ...DEFAULT_SETTINGS, log: true, yMax: 0 })).toMatch(/logarithmic/);
    expect(rangeProblem({ ...DEFAULT_SETTINGS, log: true, yMax: 10 })).toBeNull();
  });
});

describe("parseBound", () => {
  it("reads numbers and nothing else", () => {
    expect(parseBound(" -1e-3 ")).toBe(-0.001);
    expect(parseBound("0")).toBe(0);
    for (const text of ["", "  ", "-", "abc", "Infinity", "NaN"]) expect(parseBound(text)).toBeNull();
  });
});
