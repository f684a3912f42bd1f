import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE_VOCABULARY } from "../../api/exampleVocabulary";
import { fieldName, setVocabulary } from "../../api/fields";
import { DOTS_HEIGHT, dotLayout, shortName, stripShares } from "./dotLayout";

beforeAll(() => setVocabulary(EXAMPLE_VOCABULARY));

describe("the layout of dots", () => {
  it("shows eight samples as two rows of four", () => {
    expect(dotLayout(8)).toMatchObject({ kind: "dots", perRow: 4, size: 6, width: 42 });
  });

  it.each([1, 4, 8, 13, 16, 32, 40, 64])("keeps %i dots within two lines of text", (count) => {
    const { perRow, pitch } = dotLayout(count);
    expect(Math.ceil(count / perRow) * pitch - 1).toBeLessThanOrEqual(DOTS_HEIGHT);
  });

  it("makes dots smaller before it gives them up", () => {
    expect(dotLayout(50)).toMatchObject({ kind: "dots", size: 4 });
    expect(dotLayout(500)).toMatchObject({ kind: "strip" });
  });
});

describe("a strip", () => {
  it("gives each bin its share, low to high, the missing last", () => {
    expect(stripShares([1, 0, 0, null], 2)).toEqual([
      { place: 0, share: 0.5 },
      { place: 1, share: 0.25 },
      { place: null, share: 0.25 },
    ]);
  });
});

describe("names", () => {
  it("are short over a column and whole elsewhere", () => {
    expect(shortName("reward", 28)).toBe("rew");
    expect(shortName("metrics.correct", 28)).toBe("cor…");
    expect(shortName("metrics.correct", 56)).toBe("correct");
    expect(fieldName("completion_tokens")).toBe("completion tokens");
    expect(fieldName("rewards.format")).toBe("reward · format");
  });
});
