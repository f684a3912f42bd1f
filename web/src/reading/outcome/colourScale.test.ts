import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE_VOCABULARY } from "../../api/exampleVocabulary";
import { setVocabulary } from "../../api/fields";
import { colourOf, placeOn, qualityColour, rangeText, scaleFor } from "./colourScale";

const declared = {
  "*": { reward: { min: 0, max: 1, origin: "declared" } },
  code: { reward: { min: -1, max: 2 } },
} as const;

beforeAll(() => setVocabulary(EXAMPLE_VOCABULARY));

describe("the scale of a field", () => {
  it("is the environment's own range first, then the one for all", () => {
    expect(scaleFor("reward", "code", declared, {})).toMatchObject({ min: -1, max: 2, origin: "declared" });
    expect(scaleFor("reward", "math", declared, { reward: [0.2, 0.4] })).toMatchObject({ min: 0, max: 1 });
  });

  it("is what was observed when nobody declared one, and says so", () => {
    const scale = scaleFor("reward", null, {}, { reward: [-3, 5] });
    expect(scale).toMatchObject({ min: -3, max: 5, origin: "observed" });
    expect(rangeText(scale, String)).toBe("-3 … 5 observed");
  });

  it("fills in the end that a declaration leaves open", () => {
    expect(scaleFor("reward", null, { "*": { reward: { min: 0 } } }, { reward: [0.1, 7] })).toMatchObject({
      min: 0,
      max: 7,
      origin: "observed",
    });
  });

  it("has zero in the middle for advantages", () => {
    const scale = scaleFor("advantage", null, {}, { advantage: [-0.5, 1.5] });
    expect(scale).toMatchObject({ kind: "signed", min: -1.5, max: 1.5 });
    expect(placeOn(scale, 0)).toBe(0.5);
  });

  it("calls token counts amounts, neither good nor bad", () => {
    expect(scaleFor("completion_tokens", null, {}, { completion_tokens: [10, 900] }).kind).toBe("amount");
    expect(scaleFor("metrics.correct", null, {}, { "metrics.correct": [0, 1] }).kind).toBe("quality");
    expect(scaleFor("metrics.pred", null, {}, { "metrics.pred": [3, 80] }).kind).toBe("amount");
    expect(scaleFor("reward", null, {}, { reward: [3, 80] }).kind).toBe("quality");
  });
});

describe("places and colours", () => {
  const scale = scaleFor("reward", "math", declared, {});

  it("keep values outside the range at its ends", () => {
    expect([placeOn(scale, -5), placeOn(scale, 9), placeOn(scale, Number.POSITIVE_INFINITY)]).toEqual([0, 1, 1]);
  });

  it("turn round where less is better", () => {
    expect(placeOn({ ...scale, higherIsBetter: false }, 0.25)).toBe(0.75);
  });

  it("do not call a step of all-zero rewards half good", () => {
    expect(placeOn(scaleFor("reward", null, {}, { reward: [0, 0] }), 0)).toBe(0);
    expect(placeOn(scaleFor("reward", null, {}, { reward: [1, 1] }), 1)).toBe(1);
  });

  it("are tokens at the ends and mixes between them", () => {
    expect(qualityColour(0)).toBe("var(--scale-low)");
    expect(qualityColour(1)).toBe("var(--scale-high)");
    expect(qualityColour(0.5, "ink")).toBe("var(--ink-mid)");
    expect(qualityColour(0.125)).toBe("color-mix(in oklab, var(--scale-quarter) 50%, var(--scale-low))");
  });

  it("have a colour of their own for missing values", () => {
    expect(colourOf(scale, null)).toBe("var(--scale-none)");
    expect(colourOf(scale, null)).not.toBe(colourOf(scale, 0));
  });
});
