import { describe, expect, it } from "vitest";
import type { GroupRow, StepRow } from "../../api/types";
import { badgesOf, reasonCounts, reasonText, stepWithReason } from "./discardReasons";

const group = (patch: Partial<GroupRow>): GroupRow => ({
  step: 0,
  group: 1,
  env: null,
  prompt_start: null,
  samples: [0, 1],
  values: {},
  discard_reasons: [null, null],
  statuses: [],
  reward_mean: null,
  reward_spread: 0.5,
  ...patch,
});

describe("badges of a group", () => {
  it("name each discard reason once, in words", () => {
    expect(badgesOf(group({ discard_reasons: ["zero_advantage", "zero_advantage"] }), true)).toEqual([
      "zero advantage",
    ]);
    expect(badgesOf(group({ discard_reasons: ["async_staleness", null] }), true)).toEqual(["async staleness"]);
  });

  it("say that all rewards are the same, not that a lone or unrewarded sample varies", () => {
    expect(badgesOf(group({ reward_spread: 0 }), true)).toEqual(["zero variance"]);
    expect(badgesOf(group({ reward_spread: null }), true)).toEqual([]);
    // A filter may have left one sample of the group: its rewards are the same all the same.
    expect(badgesOf(group({ reward_spread: 0, samples: [4] }), true)).toEqual(["zero variance"]);
    expect(badgesOf(group({ reward_spread: 0 }), false)).toEqual([]);
  });

  it("leave an unknown reason as it was logged", () => {
    expect(reasonText("<b>Too long!</b>")).toBe("<b>Too long!</b>");
  });
});

describe("reasons over steps", () => {
  it("are counted, with their share of everything generated", () => {
    const steps = [
      { samples: 6, discarded: 2, discard_reasons: { a: 2 } },
      { samples: 9, discarded: 3, discard_reasons: { a: 1, b: 2 } },
    ] as unknown as StepRow[];
    expect(reasonCounts(steps)).toEqual([
      { reason: "a", count: 3, percent: 15 },
      { reason: "b", count: 2, percent: 10 },
    ]);
  });
});

describe("the nearest step with a reason", () => {
  const steps = [
    { step: 0, discard_reasons: { stale: 2 } },
    { step: 5, discard_reasons: {} },
    { step: 6, discard_reasons: { stale: 1, flat: 8 } },
  ] as unknown as StepRow[];

  it("is the one being read where it has it, else the nearest", () => {
    expect(stepWithReason(steps, "stale", 0)).toBe(0);
    expect(stepWithReason(steps, "stale", 5)).toBe(6);
    expect(stepWithReason(steps, "flat", 0)).toBe(6);
  });

  it("is none where no step has it", () => {
    expect(stepWithReason(steps, "other", 5)).toBeNull();
    expect(stepWithReason([], "stale", null)).toBeNull();
  });
});
