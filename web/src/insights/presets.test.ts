import { describe, expect, it } from "vitest";
import type { RunDetails } from "../api/types";
import { presets } from "./presets";

const declared = (min: number | null, max: number | null) =>
  ({ ranges: { "*": { reward: { min, max } } } }) as unknown as RunDetails;

describe("presets", () => {
  it("takes the outer tenths of the reward's declared range", () => {
    expect(presets(declared(0, 1), null)[0]).toMatchObject({ a: "reward >= 0.9", b: "reward <= 0.1" });
  });

  it("takes what was seen where nothing is declared", () => {
    expect(presets(declared(null, null), [-5, 5])[0]).toMatchObject({ a: "reward >= 4", b: "reward <= -4" });
  });

  it("offers no comparison by pay where all rewards are the same or unknown", () => {
    expect(presets(undefined, [1, 1]).map(({ name }) => name)).toEqual(["kept", "truncated"]);
    expect(presets(undefined, null).map(({ name }) => name)).toEqual(["kept", "truncated"]);
  });
});
