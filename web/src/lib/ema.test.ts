import { describe, expect, it } from "vitest";
import { alphaOf, ema, parseSpan, smoothed } from "./ema";

describe("ema", () => {
  it("weighs with α = 2 / (span + 1), seeded by the first value", () => {
    expect(alphaOf(3)).toBe(0.5);
    expect(ema([1, 3, 5, 1], 3)).toEqual([1, 2, 3.5, 2.25]);
  });

  it("keeps missing values missing and goes on from where it was", () => {
    expect(ema([null, 2, null, 4], 3)).toEqual([null, 2, null, 3]);
  });

  it("treats what is not finite as missing, so that one NaN does not spoil the rest", () => {
    expect(ema([1, Number.NaN, 3, Number.POSITIVE_INFINITY, 3], 3)).toEqual([1, null, 2, null, 2.5]);
  });

  it("leaves a constant series as it is to the last bit, whatever the span", () => {
    for (const constant of [0.1, 0.7, 1 / 3, 4e-5, 1e300, 5e-324, -2.3, 0]) {
      const values = new Array<number>(50).fill(constant);
      for (const span of [2, 3, 10, 11, 57, 100]) expect(ema(values, span)).toEqual(values);
    }
  });

  it("stays finite where the distance between two values is not", () => {
    expect(ema([-1.5e308, 1.5e308], 3)).toEqual([-1.5e308, 0]);
  });

  it("gives nothing for nothing", () => {
    expect(ema([], 10)).toEqual([]);
  });
});

describe("smoothed", () => {
  it("is nothing of fewer numbers than the span, which would still be mostly the first of them", () => {
    expect(smoothed([0, 1, 1], 10)).toBeNull();
    expect(smoothed([0, null, 1], 3)).toBeNull();
    expect(smoothed([1, 3, 5, 1], 3)).toEqual([1, 2, 3.5, 2.25]);
    expect(smoothed([], 2)).toBeNull();
  });
});

describe("parseSpan", () => {
  it("clamps to 2…100", () => {
    expect(parseSpan("1")).toBe(2);
    expect(parseSpan("250")).toBe(100);
    expect(parseSpan(" 30 ")).toBe(30);
  });

  it("is off for what is no whole number", () => {
    for (const text of ["", "off", "-5", "1e1", "2.5", null, undefined]) expect(parseSpan(text)).toBeNull();
  });
});
