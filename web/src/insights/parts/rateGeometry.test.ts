import { describe, expect, it } from "vitest";
import { linePath, nearestStep, stepX, ticksTo } from "./rateGeometry";

describe("a curve over steps", () => {
  const x = stepX({ width: 104, height: 50, left: 0 }, 10, 20);

  it("has the first step at the left and the last at the right", () => {
    expect([x(10), x(15), x(20)]).toEqual([0, 50, 100]);
    expect(stepX({ width: 104, height: 50, left: 4 }, 7, 7)(7)).toBe(54);
  });

  it("has gaps where nothing is known", () => {
    const path = linePath(
      [
        [10, 1],
        [11, null],
        [12, 2],
      ],
      (value) => value,
      x,
    );
    expect(path).toBe("M0.0 1.0h0.01M20.0 2.0h0.01");
  });

  it("has round ticks", () => {
    expect(ticksTo(0.37)).toEqual([0, 0.2]);
    expect(ticksTo(1)).toEqual([0, 0.5, 1]);
    expect(ticksTo(0)).toEqual([0]);
  });

  it("finds the step under the pointer", () => {
    expect(nearestStep([10, 12, 20], x, 22)).toBe(12);
    expect(nearestStep([], x, 22)).toBeNull();
  });
});
