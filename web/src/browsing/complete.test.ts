import { describe, expect, it } from "vitest";
import { EXAMPLE_VOCABULARY } from "../api/exampleVocabulary";
import { accept, complete, filterWords } from "./complete";

const words = filterWords(EXAMPLE_VOCABULARY, ["reward", "rewards.format", "metrics.correct", "metrics.format ok?"], {
  env: ["math"],
});
const options = (text: string) => complete(text, text.length, words).options;

describe("completing a filter", () => {
  it("begins with fields, scores first", () => {
    expect(options("")[0]).toBe("reward");
    expect(options("rew").slice(0, 3)).toEqual(["reward", "reward_spread", "rewards.format"]);
    expect(options("gol")[0]).toBe("golden");
  });

  it("finds a metric by its own name, in quotes where it needs them", () => {
    expect(options("corr")).toEqual(["metrics.correct"]);
    expect(options("format")).toContain('metrics."format ok?"');
  });

  it.each(EXAMPLE_VOCABULARY.fields)("offers for $name just the operators it takes", ({ name, operators }) => {
    const offered = operators.length ? operators : [];
    expect([...(words.operators.get(name) ?? [])]).toEqual(offered);
    if (offered.length) expect(offered).toEqual(expect.arrayContaining([...options(`${name} `)]));
  });

  it("goes on inside an operator of two words", () => {
    expect(options("reward is ")).toEqual(["missing", "not missing", "nan", "not nan"]);
    expect(options("reward is not ")).toEqual(["missing", "nan"]);
    expect(options("status not ")).toEqual(["in", "contains", "icontains", "matches"]);
  });

  it("offers known values, quoted", () => {
    expect(options("status = ")).toContain('"truncated"');
    expect(options('status = "tr')).toEqual(['"truncated"']);
    expect(options("env in ")).toEqual(["("]);
    expect(options("env in (")).toEqual(['"math"']);
    expect(options('env not in ("math" ')).toEqual([",", ")"]);
  });

  it("offers values as soon as the operator is there", () => {
    expect(accept("status =", complete("status =", 8, words), '"completed"').text).toBe('status = "completed" ');
  });

  it("joins with and, or; then a field again", () => {
    expect(options("reward < 0.5 ")).toEqual(["and", "or"]);
    expect(options("advantage is missing ")).toEqual(["and", "or"]);
    expect(options('env in ("math") ')).toEqual(["and", "or"]);
    expect(options("reward < 0.5 and stat")).toEqual(["status"]);
    expect(options("not (rew")).toContain("reward");
  });

  it("offers nothing for what is already whole", () => {
    expect(options("status")).not.toContain("status");
  });

  it("puts the choice where the word was, and the caret behind it", () => {
    const text = "rew and env = 1";
    expect(accept(text, complete(text, 3, words), "reward")).toEqual({ text: "reward and env = 1", caret: 7 });
  });
});
