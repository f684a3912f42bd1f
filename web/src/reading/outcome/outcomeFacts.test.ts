import { describe, expect, it } from "vitest";
import type { Sample } from "../../api/types";
import { FACTS_SHOWN, factsOf, rewardRange, valuesOf } from "./outcomeFacts";

const sample = (patch: Partial<Sample>): Sample =>
  ({
    advantage: null,
    status: null,
    stop_reason: null,
    staleness: null,
    sampling_step: null,
    prompt_tokens: null,
    completion_tokens: null,
    total_tokens: null,
    rewards: {},
    metrics: {},
    nonfinite: {},
    ...patch,
  }) as Sample;

describe("the outcome of a sample", () => {
  it("keeps the place of what is missing, and says that it is", () => {
    expect(factsOf(sample({})).map(({ name, text }) => `${name} ${text}`)).toEqual([
      "advantage –",
      "status –",
      "tokens –",
      "staleness –",
    ]);
  });

  it("comes in the order people look for it", () => {
    const facts = factsOf(
      sample({ advantage: 1.62, status: "truncated", completion_tokens: 1089, staleness: 1, metrics: { correct: 1 } }),
    );
    expect(facts.map(({ name, text }) => `${name} ${text}`)).toEqual([
      "advantage +1.62",
      "status truncated",
      "tokens 1,089",
      "staleness 1 step",
      "correct 1",
    ]);
    expect(facts[1]?.tone).toBe("bad");
  });

  it("shows what JSON cannot hold", () => {
    expect(factsOf(sample({ nonfinite: { advantage: "NaN" } }))[0]?.text).toBe("NaN");
  });

  it("leaves the header short: the rest is in the table", () => {
    const metrics = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`m${i}`, i]));
    expect(factsOf(sample({ metrics }))).toHaveLength(4 + FACTS_SHOWN);
    expect(valuesOf(sample({ metrics, rewards: { format: 0.5 } }))).toHaveLength(31);
    const twice = sample({ metrics: { correct: 1 }, rewards: { correct: 1 } });
    expect(factsOf(twice)).toHaveLength(5);
    expect(valuesOf(twice)).toHaveLength(2);
  });

  it("says who said how the reward ranges", () => {
    expect(rewardRange({ kind: "quality", min: -0.5, max: 1, higherIsBetter: true, origin: "observed" })).toBe(
      "range −0.50 … 1 observed",
    );
  });
});
