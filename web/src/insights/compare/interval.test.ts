import { describe, expect, it } from "vitest";
import { intervalAxis } from "./interval";

describe("intervalAxis", () => {
  it("holds zero and the interval, with room beside both", () => {
    for (const ci of [
      [0.018, 0.054],
      [-3, -1],
      [-0.2, 0.1],
      [0, 0],
    ] as const) {
      const { low, high, ticks } = intervalAxis(ci);
      expect(low).toBeLessThan(Math.min(0, ci[0]));
      expect(high).toBeGreaterThan(Math.max(0, ci[1]));
      expect(ticks).toContain(0);
      for (const tick of ticks) expect(tick >= low && tick <= high).toBe(true);
    }
  });

  it("has few round ticks", () => {
    expect(intervalAxis([0.018, 0.054]).ticks).toEqual([0, 0.02, 0.04, 0.06]);
    expect(intervalAxis([-110, -56]).ticks).toEqual([-100, -50, 0]);
    expect(intervalAxis([1e-9, 3e-9]).ticks).toEqual([0, 2e-9]);
  });

  it("says on which side of zero all of it lies", () => {
    expect(intervalAxis([0.1, 0.2]).side).toBe(1);
    expect(intervalAxis([-0.2, -0.1]).side).toBe(-1);
    expect(intervalAxis([-0.1, 0.1]).side).toBe(0);
    expect(intervalAxis([0, 0.1]).side).toBe(0);
  });
});
