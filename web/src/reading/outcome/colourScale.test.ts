import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE_VOCABULARY } from "../../api/exampleVocabulary";
import { setVocabulary } from "../../api/fields";
import { colourOf, placeOn, qualityColour, rangeText, scaleFor, turnScale } from "./colourScale";

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

  it("is the environment's own where the server observed one, and says what it leaves out", () => {
    const ranges = {
      "*": { reward: { min: -100, max: 100, origin: "observed" } },
      golf: { reward: { min: -5, max: 0, origin: "observed", outliers: 1 } },
    } as const;
    const scale = scaleFor("reward", "golf", ranges, { reward: [-100, 1e30] });
    expect(placeOn(scale, -5)).toBe(0);
    expect(placeOn(scale, 0)).toBe(1);
    expect(rangeText(scale, String)).toBe("-5 … 0 observed, 1 outlier left out");
  });

  it("is none where no value was ever seen", () => {
    const scale = scaleFor("reward", "math", {}, {});
    expect(scale.origin).toBe("none");
    expect([colourOf(scale, 0), colourOf(scale, 0, "ink")]).toEqual(["var(--scale-none)", "var(--text)"]);
    expect(rangeText(scale, String)).toBeNull();
  });

  it("has zero in the middle for advantages, and its full colour at two or at the furthest", () => {
    const near = scaleFor("advantage", null, {}, { advantage: [-0.5, 1.5] });
    expect(near).toMatchObject({ kind: "signed", min: -1.5, max: 1.5 });
    const far = scaleFor("advantage", null, {}, { advantage: [-0.5, 40] });
    expect([placeOn(far, 0), placeOn(far, 2), placeOn(far, 30), placeOn(far, -2)]).toEqual([0.5, 1, 1, 0]);
  });

  it("tells a small advantage from none at a glance", () => {
    const scale = scaleFor("advantage", null, {}, { advantage: [-3, 3] });
    expect(placeOn(scale, 0.38)).toBeGreaterThan(0.7);
    expect(placeOn(scale, -0.38)).toBeLessThan(0.3);
    expect(colourOf(scale, 0)).toBe("var(--signed-zero)");
  });

  it("is neutral for what never changes", () => {
    expect(scaleFor("rewards.format", null, {}, { "rewards.format": [0.5, 0.5] }).kind).toBe("amount");
    expect(scaleFor("metrics.ok", null, {}, { "metrics.ok": [1, 1] }).kind).toBe("amount");
  });

  it("of a turn's bonus has nothing to do with the total's", () => {
    const scale = turnScale([0, null, -0.1, undefined]);
    expect(placeOn(scale, -0.1)).toBe(0);
    expect(colourOf(scale, 0, "ink")).toBe("var(--signed-ink-zero)");
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
