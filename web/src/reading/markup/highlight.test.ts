import { describe, expect, it } from "vitest";
import { type CodeNode, highlight } from "./highlight";

const text = (node: CodeNode): string =>
  node.children.map((child) => (typeof child === "string" ? child : text(child))).join("");
const scopes = (node: CodeNode): string[] =>
  node.children.flatMap((child) => (typeof child === "string" ? [] : [child.scope, ...scopes(child)]));

describe("highlighted code", () => {
  it("is the same text, with kinds", () => {
    const code = 'def f(x):\n    return "<b>" + str(1)  # note';
    const tree = highlight(code, "python");
    expect(tree && text(tree)).toBe(code);
    expect(tree && scopes(tree)).toEqual(expect.arrayContaining(["keyword", "string", "number", "comment"]));
  });

  it("keeps embedded languages whole", () => {
    const code = "<script>let a = 1</script><style>b{}</style>";
    const tree = highlight(code, "html");
    expect(tree && text(tree)).toBe(code);
  });

  it("is plain for what it does not know", () => {
    expect(highlight("x", "brainfuck")).toBeNull();
    expect(highlight("x", "")).toBeNull();
  });
});
