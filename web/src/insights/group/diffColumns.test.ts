import { describe, expect, it } from "vitest";
import type { DiffPiece } from "../../api/types";
import { diffRows, foldedEnds } from "./diffColumns";

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

  it("folds the middle of what is long and the same", () => {
    expect(foldedEnds("short")).toBeNull();
    expect(foldedEnds("x".repeat(1000))?.between).toBe(680);
  });
});
