import { describe, expect, it } from "vitest";
import { snippetParts } from "./snippet";

describe("snippetParts", () => {
  it("cuts at characters, also after ones that JavaScript counts twice", () => {
    expect(snippetParts({ snippet: "🎲🎲 roll 6!", snippet_start: 3, snippet_end: 7 })).toEqual([
      "🎲🎲 ",
      "roll",
      " 6!",
    ]);
  });

  it("loses nothing", () => {
    expect(snippetParts({ snippet: "abc", snippet_start: 0, snippet_end: 3 }).join("")).toBe("abc");
  });
});
