import { describe, expect, it } from "vitest";
import { fence, quantile, withoutOutliers } from "./outliers";

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

describe("withoutOutliers", () => {
  it("leaves out what lies outside and counts it", () => {
    const { values, hidden } = withoutOutliers([1, 2, 3, 1000, 2, 1, -1000, 3]);
    expect(values).toEqual([1, 2, 3, null, 2, 1, null, 3]);
    expect(hidden).toBe(2);
  });

  it("keeps the ends of the range", () => {
    expect(withoutOutliers([1, 2, 3, 4, 5, 3, 3, 3], 1).hidden).toBe(
      [1, 2, 3, 4, 5, 3, 3, 3].filter((v) => v < 2.75 - 0.5 || v > 3.25 + 0.5).length,
    );
    expect(withoutOutliers([1, 2, 3, 4, 5, 6, 4.5, -0.5, 1.5], 1).values).toContain(6);
  });

  it("leaves few values alone", () => {
    expect(withoutOutliers([0, 1e9])).toEqual({ values: [0, 1e9], hidden: 0 });
  });

  it("does not count missing values as hidden", () => {
    expect(withoutOutliers([null, 1, 1, 2, 2, null]).hidden).toBe(0);
  });
});
