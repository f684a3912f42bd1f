import { describe, expect, it } from "vitest";
import { LONGEST_FORMULA, splitMath } from "./math";

const formulas = (text: string): string[] =>
  splitMath(text).flatMap((piece) => (piece.kind === "math" ? [piece.tex] : []));

describe("formulas in a text", () => {
  it("are found in all four delimiters", () => {
    expect(splitMath("a $x^2$ b $$y$$ c \\(z\\) d \\[w\\] e")).toEqual([
      { kind: "text", text: "a " },
      { kind: "math", tex: "x^2", display: false, source: "$x^2$" },
      { kind: "text", text: " b " },
      { kind: "math", tex: "y", display: true, source: "$$y$$" },
      { kind: "text", text: " c " },
      { kind: "math", tex: "z", display: false, source: "\\(z\\)" },
      { kind: "text", text: " d " },
      { kind: "math", tex: "w", display: true, source: "\\[w\\]" },
      { kind: "text", text: " e" },
    ]);
  });

  it.each([
    "It costs $5.00.",
    "Between $5.00 and $6.00 there is a dollar.",
    "$5-$10, or $20,$30",
    "He pays $5 per ticket and 3$ more",
    "a $ b $ c",
    "an escaped \\$x\\$ sign",
    "$x\n\ny$ over a paragraph",
    "\\\\[4pt] is a line break",
    "unclosed $$x",
    "empty $$$$",
  ])("are not in: %s", (text) => expect(formulas(text)).toEqual([]));

  it("may be plain numbers", () => {
    expect(formulas("the answer $5$, then $1,000$")).toEqual(["5", "1,000"]);
  });

  it("may hold escaped dollars and line breaks of their own", () => {
    expect(formulas("$\\$5 + x$ and \\[a \\\\[2pt] b\\]")).toEqual(["\\$5 + x", "a \\\\[2pt] b"]);
  });

  it("may span lines in display form", () => {
    expect(formulas("$$\na\n= b\n$$")).toEqual(["a\n= b"]);
  });

  it("stand beside money", () => {
    expect(formulas("With $5.00 he buys $n$ apples.")).toEqual(["n"]);
  });

  it("give the text back when joined", () => {
    const text = "a $x$ $5 \\(q\\) $$ \\[ \\] $y";
    expect(
      splitMath(text)
        .map((piece) => (piece.kind === "math" ? piece.source : piece.text))
        .join(""),
    ).toBe(text);
  });

  it("end somewhere: a megabyte between two signs is text", () => {
    expect(formulas(`$${"x".repeat(LONGEST_FORMULA + 10)}$`)).toEqual([]);
  });
});
