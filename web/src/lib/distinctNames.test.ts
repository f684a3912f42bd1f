import { describe, expect, it } from "vitest";
import { cutInMiddle, distinctNames, halves, withoutCommonEnd } from "./distinctNames";

describe("distinctNames", () => {
  it("drops what all begin with, at a word's end", () => {
    expect(distinctNames(["qwen3-8b-math-lr5e-7-seed1", "qwen3-8b-math-lr5e-7-seed2"], 24)).toEqual([
      "…seed1",
      "…seed2",
    ]);
  });

  it("drops what all end with, and keeps what lies between", () => {
    expect(distinctNames(["sweep-lr-1e-6-kl-long-name", "sweep-lr-2e-6-kl-long-name"], 24)).toEqual(["…1e…", "…2e…"]);
    expect(distinctNames(["run-a-seed-0", "run-b-seed-0"], 24)).toEqual(["…a…", "…b…"]);
  });

  it("drops long words that all have between those that differ", () => {
    expect(distinctNames(["qwen3-seed1-cluster-west-retry1", "qwen3-seed28-cluster-west-retry3"], 40)).toEqual([
      "…seed1…retry1",
      "…seed28…retry3",
    ]);
    expect(distinctNames(["model-a-x-1", "model-b-x-2"], 40)).toEqual(["…a-x-1", "…b-x-2"]);
    expect(distinctNames(["model-a-cluster-1", "model-b-cluster-west-2"], 40)).toEqual([
      "…a-cluster-1",
      "…b-cluster-west-2",
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

describe("distinctNames of a sweep", () => {
  it("does not cut within a number", () => {
    expect(distinctNames(["grpo-lr1e-05-seed-1", "grpo-lr1e-06-seed-2"], 40)).toEqual([
      "…lr1e-05-seed-1",
      "…lr1e-06-seed-2",
    ]);
  });
});

describe("cutInMiddle", () => {
  it("keeps both ends, and characters whole", () => {
    expect(cutInMiddle("0123456789", 7)).toBe("012…789");
    expect(cutInMiddle("short", 7)).toBe("short");
    expect(cutInMiddle("🎲".repeat(9), 5)).toBe("🎲🎲…🎲🎲");
  });
});

describe("halves", () => {
  it("keeps the end of a name, where names differ, and loses nothing", () => {
    expect(halves("qwen3-30b-grpo-lr-5e-7-seed-1")).toEqual(["qwen3-30b-grpo-lr", "-5e-7-seed-1"]);
    expect(halves("demo")).toEqual(["demo", ""]);
    expect(halves("é👍é👍é👍é👍é👍")).toEqual(["é👍é👍é", "👍é👍é👍"]);
    expect(halves("")).toEqual(["", ""]);
  });
});

describe("withoutCommonEnd", () => {
  it("leaves out what all are of, and never a whole name", () => {
    expect(withoutCommonEnd(["Held-out math · pass@1", "desk · pass@1"])).toEqual(["Held-out math", "desk"]);
    expect(withoutCommonEnd(["a · x · mean", "b · y · mean"])).toEqual(["a · x", "b · y"]);
    expect(withoutCommonEnd(["reward", "a · reward"])).toEqual(["reward", "a · reward"]);
    expect(withoutCommonEnd(["a · reward"])).toEqual(["a · reward"]);
    expect(withoutCommonEnd(["samples · truncated, %", "discarded, %"])).toEqual(["samples · truncated", "discarded"]);
    expect(withoutCommonEnd(["reward, mean", "reward, max"])).toEqual(["reward, mean", "reward, max"]);
  });
});
