import { describe, expect, it } from "vitest";
import { parseDiff } from "./diffLines";

const DIFF = `diff --git a/train.py b/train.py
index 1b2c3d4..5e6f7a8 100644
--- a/train.py
+++ b/train.py
@@ -10,3 +10,4 @@ def main():
 import record
-lr = 5e-7
+lr = 4e-5
+-- not a heading
diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
`;

describe("parseDiff", () => {
  it("numbers the lines of both files", () => {
    const { lines } = parseDiff(DIFF);
    expect(lines.slice(4, 9).map(({ kind, text, old, new: fresh }) => [kind, text, old, fresh])).toEqual([
      ["hunk", "@@ -10,3 +10,4 @@ def main():", null, null],
      ["same", "import record", 10, 10],
      ["delete", "lr = 5e-7", 11, null],
      ["add", "lr = 4e-5", null, 11],
      ["add", "-- not a heading", null, 12],
    ]);
  });

  it("does not take the heading's --- and +++ for changes", () => {
    const { files } = parseDiff(DIFF);
    expect(files).toEqual([
      { name: "train.py", added: 2, deleted: 1, place: 0 },
      { name: "old.py → new.py", added: 0, deleted: 0, place: 9 },
    ]);
  });

  it("is empty for an empty diff", () => {
    expect(parseDiff("\n")).toEqual({ lines: [], files: [] });
  });

  it("shows text that is no diff as it is", () => {
    expect(parseDiff("no repository here").lines).toEqual([
      { kind: "meta", text: "no repository here", old: null, new: null },
    ]);
  });
});
