import { describe, expect, it } from "vitest";
import { accept, complete } from "./complete";

const vocabulary = {
  fields: ["reward", "rewards.format", "metrics.correct", "status", "env"],
  values: { status: ["completed", "truncated"], env: ["math"] },
};
const options = (text: string) => complete(text, text.length, vocabulary).options;

describe("completing a filter", () => {
  it("begins with fields", () => {
    expect(options("")).toContain("reward");
    expect(options("rew")).toEqual(["reward", "rewards.format"]);
  });

  it("finds a metric by its own name", () => {
    expect(options("corr")).toEqual(["metrics.correct"]);
  });

  it("goes on with operators that fit the field", () => {
    expect(options("reward ")).toContain("<");
    expect(options("status ")).toContain("contains");
    expect(options("status ")).not.toContain("<");
  });

  it("offers known values, quoted", () => {
    expect(options("status = ")).toEqual(['"completed"', '"truncated"']);
    expect(options('status = "tr')).toEqual(['"truncated"']);
    expect(options("env in (")).toEqual(['"math"']);
  });

  it("offers values as soon as the operator is there", () => {
    expect(options("status =")).toEqual(['"completed"', '"truncated"']);
    expect(accept("status =", complete("status =", 8, vocabulary), '"completed"').text).toBe('status = "completed" ');
  });

  it("joins with and, or; then a field again", () => {
    expect(options("reward < 0.5 ")).toEqual(["and", "or"]);
    expect(options("reward < 0.5 and st")).toEqual(["status"]);
    expect(options("not (")).toContain("reward");
  });

  it("offers nothing for what is already whole", () => {
    expect(options("status")).not.toContain("status");
  });

  it("puts the choice where the word was, and the caret behind it", () => {
    const text = "rew and env = 1";
    const completion = complete(text, 3, vocabulary);
    expect(accept(text, completion, "reward")).toEqual({ text: "reward and env = 1", caret: 7 });
  });
});
