import { describe, expect, it } from "vitest";
import { edges, nearest, orderedBy, othersAt, paddedRange, ticks } from "./scatterGeometry";

describe("the plane of a scatter", () => {
  it("leaves room around the points, also where all are the same", () => {
    const { low, high } = paddedRange([0, 10]);
    expect([low < 0, high > 10]).toEqual([true, true]);
    expect(paddedRange([5, 5])).toEqual({ low: 4.5, high: 5.5 });
    expect(paddedRange([0])).toEqual({ low: -1, high: 1 });
    expect(paddedRange([])).toEqual({ low: 0, high: 1 });
  });

  it("has round numbers on its axes, and never too many", () => {
    expect(ticks({ low: -0.04, high: 1.04 }, 5)).toEqual([0, 0.5, 1]);
    expect(ticks({ low: 95, high: 1210 }, 6)).toEqual([200, 400, 600, 800, 1000, 1200]);
    expect(ticks({ low: -1.7e308, high: 1.7e308 }, 5)).toEqual([]);
    expect(ticks({ low: 1, high: 1 }, 5)).toEqual([]);
  });

  it("finds what lies on top under the mouse, and nothing where nothing is near", () => {
    const [px, py] = [Float32Array.of(1, 1, 50), Float32Array.of(1, 1, 50)];
    expect(nearest(px, py, 2, 2, 8)).toBe(1);
    expect(nearest(px, py, 25, 25, 8)).toBeNull();
    expect(othersAt([1, 1, 50], [1, 1, 50], 0)).toBe(1);
  });

  it("goes from left to right, and at one place from bottom to top", () => {
    expect([...orderedBy([3, 1, 1], [0, 9, 2])]).toEqual([2, 1, 0]);
  });

  it("writes whole numbers where a field has only these", () => {
    expect(edges({ low: 1.2, high: 8.9 }, [1, 5])).toEqual({ from: 2, to: 8, withTo: true });
    expect(edges({ low: 0.1, high: 0.9 }, [0, 0.5])).toEqual({ from: 0.1, to: 0.9, withTo: true });
  });
});
