import { describe, expect, it } from "vitest";
import { languageOf, splitFences } from "./fences";

describe("code blocks", () => {
  it("are taken out of the text around them", () => {
    expect(splitFences("see\n```python\nx = 1\n\ny = 2\n```\ndone")).toEqual([
      { kind: "text", text: "see\n" },
      { kind: "code", code: "x = 1\n\ny = 2", language: "python", source: "```python\nx = 1\n\ny = 2\n```\n" },
      { kind: "text", text: "done" },
    ]);
  });

  it("run to the end when the answer was cut", () => {
    expect(splitFences("```js\nlet a")).toEqual([
      { kind: "code", code: "let a", language: "js", source: "```js\nlet a" },
    ]);
  });

  it("close with as many backticks as they opened", () => {
    const [block] = splitFences("````md\n```\ninner\n```\n````");
    expect(block).toMatchObject({ kind: "code", code: "```\ninner\n```" });
  });

  it("leave inline backticks alone", () => {
    expect(splitFences("use `x` or ```y``` here")).toEqual([{ kind: "text", text: "use `x` or ```y``` here" }]);
  });

  it("name their language in one word", () => {
    expect([languageOf(" Python title=x"), languageOf("c++"), languageOf("")]).toEqual(["python", "c++", ""]);
  });
});
