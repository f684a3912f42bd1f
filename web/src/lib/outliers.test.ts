import { describe, expect, it } from "vitest";
import { fence, isInside, quantile } from "./outliers";

describe("quantile", () => {
  it("interpolates between neighbours", () => {
    expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75);
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([7], 0.75)).toBe(7);
  });
});

describe("fence", () => {
  it("is [Q1 − k·IQR, Q3 + k·IQR]", () => {
    expect(fence([1, 2, 3, 4, 5], 6)).toEqual({ low: 2 - 12, high: 4 + 12 });
    expect(fence([5, 4, 3, 2, 1], 1.5)).toEqual({ low: 2 - 3, high: 4 + 3 });
  });

  it("does not judge by missing or non-finite values", () => {
    expect(fence([1, null, 2, 3, Number.NaN, 4, 5, Number.POSITIVE_INFINITY], 6)).toEqual({ low: -10, high: 16 });
  });

  it("needs four values", () => {
    expect(fence([1, 2, 1000])).toBeNull();
  });
});

describe("isInside", () => {
  it("keeps the ends of the range", () => {
    const range = { low: -1, high: 1 };
    expect([-1.01, -1, 0, 1, 1.01].map((value) => isInside(range, value))).toEqual([false, true, true, true, false]);
  });

  it("leaves a spike of a thousand times the usual outside, and an honest one inside", () => {
    const usual = [1, 2, 3, 2, 1, 3, 2];
    const range = fence([...usual, 1000]);
    expect(range && isInside(range, 1000)).toBe(false);
    expect(range && isInside(range, 8)).toBe(true);
  });
});
