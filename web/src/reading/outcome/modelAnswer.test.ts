import { describe, expect, it } from "vitest";
import { lastBoxed, modelAnswer, sameAnswer } from "./modelAnswer";

const assistant = (text: string) => [{ role: "assistant", parts: [{ text }] }];

describe("what the model answered", () => {
  it("is the last box, braces and all", () => {
    expect(lastBoxed("\\boxed{1} then \\boxed{\\frac{1}{2}}")).toBe("\\frac{1}{2}");
    expect(lastBoxed("ok \\boxed{7} and cut \\boxed{8")).toBe("7");
    expect(lastBoxed("none")).toBeNull();
  });

  it("is the answer block before anything else", () => {
    const messages = [
      {
        role: "assistant",
        parts: [{ text: "\\boxed{1}" }, { type: "answer" as const, text: "<answer>42</answer>", lead: 8, tail: 9 }],
      },
    ];
    expect(modelAnswer(messages)).toBe("42");
  });

  it("is the line that says so", () => {
    expect(modelAnswer(assistant("so\n#### 18"))).toBe("18");
    expect(modelAnswer(assistant("work\n**Answer:** 7 apples"))).toBe("7 apples");
    expect(modelAnswer(assistant("The answer is hard to know, I think."))).toBeNull();
  });

  it("is unknown when the model said nothing", () => {
    expect(modelAnswer([{ role: "user", parts: [{ text: "\\boxed{1}" }] }])).toBeNull();
  });
});

describe("two answers", () => {
  it("are the same when only their dress differs", () => {
    expect(sameAnswer("$150\\sqrt{3}$", "150 \\sqrt{3}")).toBe(true);
    expect(sameAnswer("\\dfrac{1}{2}", "\\frac12")).toBe(false);
    expect(sameAnswer("Paris.", "paris")).toBe(true);
  });
});
