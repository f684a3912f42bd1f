import { describe, expect, it } from "vitest";
import { diffView } from "./diffPick";

describe("two samples that were picked", () => {
  it("are a diff, of other runs too", () => {
    const a = { run: "x", address: "train/1/2" };
    expect(diffView(a, { run: "x", address: "train/9/0" })?.other).toEqual({
      tab: "diff",
      a: "train/1/2",
      b: "train/9/0",
    });
    expect(diffView(a, { run: "y", address: "train/1/2" })).toMatchObject({ run: "x", other: { against: "y" } });
  });

  it("are none where they are the same", () => {
    expect(diffView({ run: "x", address: "train/1/2" }, { run: "x", address: "train/1/2" })).toBeNull();
  });
});
