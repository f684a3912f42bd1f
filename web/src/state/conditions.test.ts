import { describe, expect, it } from "vitest";
import { conjuncts, withCondition } from "./conditions";

describe("a condition that a click writes", () => {
  it("joins what is there", () => {
    expect(withCondition("", "env", { equals: "math" })).toBe('env = "math"');
    expect(withCondition('status = "truncated"', "reward", { equals: 0.5 })).toBe(
      'status = "truncated" and reward = 0.5',
    );
    expect(withCondition("reward < 1 or env is missing", "status", { equals: "ok" })).toBe(
      '(reward < 1 or env is missing) and status = "ok"',
    );
  });

  it("takes the place of an earlier one on the same field", () => {
    const first = withCondition('env = "math"', "reward", { from: 0, to: 0.1 + 0.2, withTo: false });
    expect(first).toBe('env = "math" and reward >= 0 and reward < 0.3');
    expect(withCondition(first, "reward", { from: 0.9, to: 1, withTo: true })).toBe(
      'env = "math" and reward >= 0.9 and reward <= 1',
    );
    expect(withCondition("reward > 0 and (reward < 1 or true)", "reward", { equals: 1 })).toBe(
      "(reward < 1 or true) and reward = 1",
    );
  });

  it("quotes what is no word", () => {
    expect(withCondition("", "metrics.pass@1", { equals: 1 })).toBe("metrics.pass@1 = 1");
    expect(withCondition("", "metrics.format ok?", { equals: 1 })).toBe('metrics."format ok?" = 1');
    expect(withCondition("", "env", { equals: 'a "b"' })).toBe('env = "a \\"b\\""');
    expect(withCondition("", "env", { equals: "a\\b\n\tc" })).toBe('env = "a\\\\b\\n\\tc"');
    expect(withCondition("", "metrics.Länge/数学", { equals: 1 })).toBe("metrics.Länge/数学 = 1");
    expect(withCondition("", "rewards.a.b ", { equals: 1 })).toBe('rewards."a.b " = 1');
  });

  it("finds its parts outside of quotes, brackets and patterns", () => {
    expect(conjuncts('response contains "this and that" and (a = 1 and b = 2) and text matches /x and y/i')).toEqual([
      'response contains "this and that"',
      "(a = 1 and b = 2)",
      "text matches /x and y/i",
    ]);
  });
});
