import { describe, expect, it } from "vitest";
import { availableValues, tokenCount, tokenScale, tokenText } from "./tokens";

describe("per-token values", () => {
  const tokens = { ids: [5, 6], strings: ["a"], logprobs: [-0.1, -12] };

  it("are those the source has", () => {
    expect(availableValues(tokens).map(({ key }) => key)).toEqual(["logprobs"]);
    expect(tokenCount(tokens)).toBe(2);
  });

  it("show an id where there is no text", () => {
    expect([tokenText(tokens, 0), tokenText(tokens, 1)]).toEqual(["a", "⟨6⟩"]);
  });

  it("keep one unlikely token from greying all others", () => {
    expect(tokenScale("logprobs", [-0.1, -40])).toMatchObject({ min: -8, max: 0 });
  });

  it("have zero in the middle for advantages", () => {
    expect(tokenScale("advantage", [-1, 3, null])).toMatchObject({ kind: "signed", min: -3, max: 3 });
  });
});
