// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { findAll, findInElement } from "./findText";

describe("finding in a string", () => {
  it("ignores case and takes special characters as they are", () => {
    expect(findAll("a.b A.B axb", "a.b")).toEqual([
      { start: 0, end: 3 },
      { start: 4, end: 7 },
    ]);
    expect(findAll("\\boxed{3} [x]", "\\BOXED{3}")).toHaveLength(1);
  });

  it("takes a line break for a space", () => {
    expect(findAll("law of\n  sines", "law of sines")).toHaveLength(1);
  });

  it("finds nothing for nothing, and stops counting somewhere", () => {
    expect(findAll("abc", "  ")).toEqual([]);
    expect(findAll("a".repeat(5000), "a", 100)).toHaveLength(100);
  });
});

describe("finding in what is drawn", () => {
  it("crosses the elements that formatting makes", () => {
    const root = document.createElement("div");
    root.innerHTML = "<p>the <b>law</b> of sines</p><p>The law</p>";
    const ranges = findInElement(root, "the law");
    expect(ranges.map(String)).toEqual(["the law", "The law"]);
  });

  it("leaves out what is not drawn", () => {
    const root = document.createElement("div");
    root.innerHTML = '<span class="katex-mathml">x</span><span>x</span>';
    expect(findInElement(root, "x")).toHaveLength(1);
  });
});
