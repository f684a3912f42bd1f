import { describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "../../state/url";
import { treePatch, withPicks } from "./treePicks";

describe("what is picked in a tree", () => {
  it("is part of the address, beside whatever else is", () => {
    expect(withPicks({ max: "9", a: "train/0/1" }, "train/0/2", "")).toEqual({ max: "9", a: "train/0/2" });
  });

  it("is nothing when one comes and goes", () => {
    const view = { ...DEFAULT_VIEW, side: true, other: { a: "train/0/1", b: "train/0/2", max: "9" } };
    expect(treePatch(true, view)).toEqual({ tree: true, side: false, other: { max: "9" } });
  });
});
