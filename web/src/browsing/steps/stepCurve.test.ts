import { describe, expect, it } from "vitest";
import { curvePath, indexAt, xOf } from "./stepCurve";

const points = (...values: (number | null)[]) => values.map((value, step) => ({ step, value }));

describe("the curve behind the step control", () => {
  it("runs from edge to edge, low values low", () => {
    expect(curvePath(points(0, 1), 100, 30)).toBe("M0.0,28.0L100.0,2.0");
  });

  it("breaks where a step has no value", () => {
    expect(curvePath(points(0, null, 1, 0), 90, 30).match(/M/g)).toHaveLength(2);
  });

  it("stays in the middle when nothing changes, and shows a single step", () => {
    expect(curvePath(points(0.5, 0.5), 100, 30)).toBe("M0.0,15.0L100.0,15.0");
    expect(curvePath(points(1), 100, 30)).toBe("M50.0,15.0h0.01");
    expect(curvePath(points(null), 100, 30)).toBe("");
  });

  it("keeps peaks when there are more steps than pixels", () => {
    const many = points(...Array.from({ length: 10_000 }, (_, i) => (i === 5000 ? 9 : 0)));
    expect(curvePath(many, 100, 30)).toContain("L50.0,2.0");
  });

  it("finds the step under the pointer, and the other way round", () => {
    expect([indexAt(-4, 5, 100), indexAt(49, 5, 100), indexAt(200, 5, 100)]).toEqual([0, 2, 4]);
    expect(indexAt(xOf(3, 7, 240), 7, 240)).toBe(3);
  });
});
