import { describe, expect, it } from "vitest";
import type { DiffPiece } from "../../api/types";
import { diffRows, foldedEnds, overview } from "./diffColumns";

const piece = (kind: DiffPiece["kind"], text: string): DiffPiece => ({ kind, text, a: 0, b: 0 });

describe("a diff in two columns", () => {
  it("keeps short common words with what differs around them", () => {
    const rows = diffRows([
      piece("equal", "start"),
      piece("delete", "x"),
      piece("equal", " and "),
      piece("insert", "y"),
      piece("equal", "z".repeat(90)),
      piece("insert", "end"),
    ]);
    expect(rows.map((row) => row.map(({ kind }) => kind))).toEqual([
      ["equal"],
      ["delete", "equal", "insert"],
      ["equal"],
      ["insert"],
    ]);
  });

  it("sets whole lines that both have apart, so that what only one has stands against nothing", () => {
    const rows = diffRows([
      piece("equal", "start\n"),
      piece("delete", "Now"),
      piece("equal", " it is so:\n\n"),
      piece("delete", "That is the plan.\n"),
      piece("equal", "| a |\n| b |\nIt is "),
      piece("insert", "not "),
      piece("equal", "even."),
    ]);
    expect(rows.map((row) => row.map(({ kind, text }) => `${kind} ${text}`))).toEqual([
      ["equal start\n"],
      ["delete Now", "equal  it is so:\n\n"],
      ["delete That is the plan.\n"],
      ["equal | a |\n| b |\n"],
      ["equal It is ", "insert not "],
      ["equal even."],
    ]);
  });

  it("folds the middle of what is long and the same", () => {
    expect(foldedEnds("short")).toBeNull();
    expect(foldedEnds("x".repeat(1000))?.between).toBe(680);
  });
});

describe("the overview of a diff", () => {
  it("joins what both have in their own way, and is as long as the longer of them", () => {
    const pieces = [
      piece("equal", "same"),
      piece("delete", "xx"),
      piece("insert", "yyy"),
      piece("equal", "s"),
      piece("insert", "z"),
    ];
    expect(overview(pieces).map(({ kind, characters }) => [kind, characters])).toEqual([
      ["same", 4],
      ["both", 3],
      ["same", 1],
      ["b", 1],
    ]);
    expect(overview(pieces)[1]?.first).toBe(pieces[1]);
    expect(overview([piece("delete", "all")]).map(({ kind }) => kind)).toEqual(["a"]);
    expect(overview([])).toEqual([]);
  });

  it("has no more stretches than a line has room for, and begins each where a difference does", () => {
    const words = Array.from({ length: 900 }, (_, nth) => piece(nth % 2 ? "equal" : "delete", "word "));
    const pieces = [piece("equal", "x".repeat(900)), ...words, piece("equal", "y".repeat(900)), piece("insert", "end")];
    const found = overview(pieces);
    expect(found.map(({ kind }) => kind)).toEqual(["same", "a", "same", "b"]);
    expect(found[1]?.first).toBe(words[0]);
  });
});
