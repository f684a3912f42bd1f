import { describe, expect, it } from "vitest";
import type { SampleRow } from "../../api/types";
import { isTokenCount, numberIn } from "./fieldValues";

const row = {
  reward: 0.5,
  advantage: null,
  completion_tokens: 12,
  status: "completed",
  metrics: { "a.b": 3, correct: null },
  rewards: { format: 1 },
} as unknown as SampleRow;

describe("numberIn", () => {
  it("finds scalars, metrics and reward components by the column's name", () => {
    expect(numberIn(row, "reward")).toBe(0.5);
    expect(numberIn(row, "completion_tokens")).toBe(12);
    expect(numberIn(row, "metrics.a.b")).toBe(3);
    expect(numberIn(row, "rewards.format")).toBe(1);
  });

  it("has nothing for what is missing or no number", () => {
    for (const field of ["advantage", "status", "metrics.correct", "metrics.other", "rewards.x", "nothing"])
      expect(numberIn(row, field)).toBeNull();
  });
});

describe("isTokenCount", () => {
  it("knows counts by their name", () => {
    expect(["completion_tokens", "total_tokens", "reward", "metrics.tokens"].map(isTokenCount)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
