import { describe, expect, it } from "vitest";
import { ksFor, passAtK, passTable, passThreshold } from "./passAtK";

describe("pass@k", () => {
  it("is the share of right ones for k = 1", () => {
    expect(passAtK(8, 2, 1)).toBeCloseTo(0.25);
  });

  it("agrees with counting draws by hand", () => {
    // 4 completions, 1 right: of the 6 pairs 3 hold it.
    expect(passAtK(4, 1, 2)).toBeCloseTo(0.5);
    expect(passAtK(5, 2, 3)).toBeCloseTo(1 - 1 / 10);
  });

  it("is certain when fewer are wrong than drawn, impossible when none is right", () => {
    expect(passAtK(4, 3, 2)).toBe(1);
    expect(passAtK(4, 0, 4)).toBe(0);
    expect(passAtK(4, 1, 5)).toBeNull();
  });

  it("is averaged over problems", () => {
    const table = passTable([{ rewards: [1, 0] }, { rewards: [0, 0] }, { rewards: [null, null] }], 1);
    expect(table).toEqual([
      { k: 1, value: 0.25 },
      { k: 2, value: 0.5 },
    ]);
  });

  it("asks for as many k as every problem can answer", () => {
    expect(ksFor(8)).toEqual([1, 2, 4, 8]);
    expect(ksFor(6)).toEqual([1, 2, 4, 6]);
    expect(ksFor(1)).toEqual([1]);
  });

  it("takes the top of the scale for right", () => {
    expect(passThreshold(0, 1)).toBeCloseTo(0.999);
    expect(passThreshold(-1, 1)).toBeGreaterThan(0);
    expect(passThreshold(0, 0)).toBe(1);
  });
});
