import { describe, expect, it } from "vitest";
import { cutInMiddle, distinctNames } from "./distinctNames";

describe("distinctNames", () => {
  it("drops what all begin with, at a word's end", () => {
    expect(distinctNames(["qwen3-8b-math-lr5e-7-seed1", "qwen3-8b-math-lr5e-7-seed2"], 24)).toEqual([
      "…seed1",
      "…seed2",
    ]);
  });

  it("leaves one name, short beginnings and a name inside another whole", () => {
    expect(distinctNames(["a-long-name"], 24)).toEqual(["a-long-name"]);
    expect(distinctNames(["a-1", "a-2"], 24)).toEqual(["a-1", "a-2"]);
    expect(distinctNames(["baseline-", "baseline-2"], 24)).toEqual(["baseline-", "baseline-2"]);
  });

  it("keeps long names apart by cutting in the middle", () => {
    const names = distinctNames([`${"x".repeat(40)}1`, `${"x".repeat(40)}2`], 12);
    expect(new Set(names).size).toBe(2);
    expect(names.every((name) => name.length <= 12)).toBe(true);
  });
});

describe("cutInMiddle", () => {
  it("keeps both ends, and characters whole", () => {
    expect(cutInMiddle("0123456789", 7)).toBe("012…789");
    expect(cutInMiddle("short", 7)).toBe("short");
    expect(cutInMiddle("🎲".repeat(9), 5)).toBe("🎲🎲…🎲🎲");
  });
});
