import { describe, expect, it } from "vitest";
import type { StepTokens } from "../../api/types";
import { gridRows, namedPlaces, quantileAxis, shade } from "./tokenGrid";

const at = (start: number, end: number, p99: number) => ({ start, end, tokens: 5, p50: 0, p90: 0, p99, max: p99 });
const step = (number: number, ...positions: ReturnType<typeof at>[]) =>
  ({ step: number, positions }) as unknown as StepTokens;

describe("tokens by step and position", () => {
  it("have a row for every stretch that any step has", () => {
    const rows = gridRows([step(0, at(0, 64, 0.1)), step(1, at(0, 64, 0.2), at(64, 128, 0.9))]);
    expect(rows.map(({ start, cells }) => [start, cells.map((cell) => cell?.p99 ?? null)])).toEqual([
      [0, [0.1, 0.2]],
      [64, [null, 0.9]],
    ]);
  });

  it("are coloured by what they mean, not by what there is", () => {
    expect(shade("log_ratio", Math.log(3))).toBeCloseTo(1);
    expect(shade("log_ratio", 9)).toBe(1);
    expect(shade("logprob", -4)).toBe(0.5);
  });

  it("stand on an axis of what was seen, with the bounds that are within reach", () => {
    const seen = (p99: number) => [{ step: 0, p50: 0, p90: p99 / 2, p99 }] as unknown as StepTokens[];
    const calm = quantileAxis("log_ratio", seen(0.02));
    expect([calm.high, calm.drawn.length, calm.beyond.length]).toEqual([0.02, 0, 2]);
    expect(calm.ticks).toEqual([0, 0.01, 0.02]);
    const far = quantileAxis("log_ratio", seen(0.5));
    expect(far.drawn.map(({ value }) => Math.round(Math.exp(value)))).toEqual([2, 3]);
    expect(far.high).toBeCloseTo(Math.log(3));
    const below = quantileAxis("logprob", seen(-6));
    expect([below.low, below.high, below.ticks]).toEqual([-6, 0, [-6, -4, -2, 0]]);
    expect(quantileAxis("entropy", seen(0)).high).toBe(1);
  });

  it("name as many steps as there is room for", () => {
    expect(namedPlaces(40, 10)).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32, 36]);
    expect(namedPlaces(3, 10)).toEqual([0, 1, 2]);
    expect(namedPlaces(5, 0.2)).toEqual([0]);
  });
});
