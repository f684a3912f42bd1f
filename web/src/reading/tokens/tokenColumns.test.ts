import { describe, expect, it } from "vitest";
import type { SampleTokens } from "../../api/types";
import {
  availableColumns,
  nextPlace,
  SHADES,
  shadeOf,
  stretches,
  TOKEN_COLUMNS,
  tokenAt,
  tokenStarts,
  tokenText,
} from "./tokenColumns";

const column = (key: string) => TOKEN_COLUMNS.find((each) => each.key === key) as (typeof TOKEN_COLUMNS)[number];

describe("columns of tokens", () => {
  it("are those the source has", () => {
    const tokens = { ids: [5, 6], logprobs: [-0.1, -12], entropy: [] } as unknown as SampleTokens;
    expect(availableColumns(tokens).map(({ key }) => key)).toEqual(["logprobs"]);
  });

  it("show an id where there is no text", () => {
    const tokens = { ids: [5, 6], strings: ["a"] };
    expect([tokenText(tokens, 0), tokenText(tokens, 1)]).toEqual(["a", "⟨6⟩"]);
  });
});

describe("shades", () => {
  it("mean the same in every sample", () => {
    expect(shadeOf(column("logprobs"), 0)).toBe(0);
    expect(shadeOf(column("logprobs"), -40)).toBe(SHADES);
    expect(shadeOf(column("entropy"), Math.log(10))).toBe(SHADES);
  });

  it("tell a ratio below 1 as its inverse above", () => {
    expect(shadeOf(column("ratio"), 1 / 2)).toBe(shadeOf(column("ratio"), 2));
    expect(shadeOf(column("ratio"), 3)).toBe(SHADES);
  });

  it("go both ways for advantages, and nowhere for what is not known", () => {
    expect([shadeOf(column("advantage"), -5), shadeOf(column("advantage"), 5)]).toEqual([-SHADES, SHADES]);
    expect(shadeOf(column("advantage"), null)).toBe(0);
  });
});

describe("places in the text", () => {
  const starts = tokenStarts(["ab", "", "c"]);

  it("find the token of a character", () => {
    expect(starts).toEqual([0, 2, 2, 3]);
    expect([tokenAt(starts, 0), tokenAt(starts, 1), tokenAt(starts, 2), tokenAt(starts, 99)]).toEqual([0, 0, 2, 2]);
  });

  it("go on to the next outlier, and round", () => {
    expect([nextPlace([3, 9], null), nextPlace([3, 9], 3), nextPlace([3, 9], 9), nextPlace([], 1)]).toEqual([
      3,
      9,
      3,
      null,
    ]);
  });

  it("keep the lowest and highest of every stretch of a curve", () => {
    expect(stretches([1, 5, null, null, 2, 2], 3)).toEqual([{ low: 1, high: 5 }, null, { low: 2, high: 2 }]);
  });
});
