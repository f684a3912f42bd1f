import { describe, expect, it } from "vitest";
import type { SampleRow } from "../../api/types";
import { byStep } from "./promptSteps";

const row = (step: number, reward: number | null): SampleRow => ({ step, reward }) as SampleRow;

describe("a prompt over the steps", () => {
  it("is gathered by step, in order, with the mean of the rewards there are", () => {
    const steps = byStep([row(9, 1), row(2, 0), row(2, 0.5), row(9, null), row(4, null)]);
    expect(steps.map(({ step, mean, rows }) => [step, mean, rows.length])).toEqual([
      [2, 0.25, 2],
      [4, null, 1],
      [9, 1, 2],
    ]);
  });
});
