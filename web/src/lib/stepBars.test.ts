import { describe, expect, it } from "vitest";
import { barAt, barLeft, nearestWithCount, stepBars } from "./stepBars";

describe("bars of a count per step", () => {
  it("are as high as their count, and even one is seen", () => {
    const bars = stepBars([100, 0, 50, 1], 40, 20);
    expect(bars.map(({ x, height }) => [x, height])).toEqual([
      [0, 20],
      [20, 10],
      [30, 1.5],
    ]);
  });

  it("share pixels where there are more steps than those, and keep the highest", () => {
    const counts = Array.from({ length: 1000 }, (_, step) => (step === 777 ? 9 : 3));
    const bars = stepBars(counts, 100, 30);
    expect(bars).toHaveLength(100);
    expect(bars.filter(({ height }) => height === 30)).toHaveLength(1);
  });

  it("are none where nothing matches", () => expect(stepBars([0, 0], 100, 30)).toEqual([]));

  it("are found again under the pointer", () => {
    for (const index of [0, 3, 9]) expect(barAt(barLeft(index, 10, 300) + 1, 10, 300)).toBe(index);
    expect([barAt(-5, 10, 300), barAt(999, 10, 300)]).toEqual([0, 9]);
  });

  it("lead to the nearest step that has something", () => {
    expect(nearestWithCount([0, 0, 4, 0, 0, 1], 1)).toBe(2);
    expect(nearestWithCount([0, 0], 1)).toBeNull();
  });
});
