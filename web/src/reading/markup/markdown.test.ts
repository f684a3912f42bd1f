import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./markdown";

const types = (text: string, math = true): string[] =>
  parseMarkdown(text, { math }).flatMap((token) => [token.type, ...(token.children ?? []).map((child) => child.type)]);
const formulas = (text: string): string[] =>
  parseMarkdown(text, { math: true })
    .flatMap((token) => [token, ...(token.children ?? [])])
    .filter((token) => token.type.startsWith("math"))
    .map((token) => token.content);

describe("markdown of a model", () => {
  it("keeps HTML as text", () => {
    expect(types("<img src=x onerror=alert(1)> <b>x</b>\n\n<script>y</script>").join()).not.toContain("html");
  });

  it("has tables", () => {
    expect(types("| a | b |\n|---|--:|\n| 1 | 2 |")).toContain("table_open");
  });

  it("takes no indent for code and no rule for a heading", () => {
    expect(types("    x = 1")).not.toContain("code_block");
    expect(types("text\n---\nmore")).toEqual(expect.arrayContaining(["hr"]));
    expect(types("text\n---\nmore").join()).not.toContain("heading");
  });

  it("leaves formulas whole: no emphasis, no escapes, no lists inside", () => {
    expect(formulas("with $a_1 * b_2 * c$ and \\(x_1\\)")).toEqual(["a_1 * b_2 * c", "x_1"]);
    expect(formulas("so\n$$\na\n- b\n\n+ c\n$$\ndone")).toEqual(["a\n- b\n\n+ c"]);
    expect(formulas("\\[\nx\n\\]")).toEqual(["x"]);
  });

  it("finds formulas in table cells and lists", () => {
    expect(formulas("- first $x$\n- second\n\n| a |\n|---|\n| $y$ |")).toEqual(["x", "y"]);
  });

  it("leaves dollars alone in code and when LaTeX is off", () => {
    expect(formulas("`$x$` and\n```\n$y$\n```")).toEqual([]);
    expect(types("$x$", false)).toEqual(["paragraph_open", "inline", "text", "paragraph_close"]);
  });

  it("knows money", () => {
    expect(formulas("It costs $5.00 or $6.00.")).toEqual([]);
  });

  it("survives a thousand open quotes", () => {
    expect(() => parseMarkdown(`${">".repeat(1000)} x`, { math: true })).not.toThrow();
  });
});
