/** A unified diff, line by line, with the line numbers it speaks of. */

export interface DiffLine {
  readonly kind: "file" | "meta" | "hunk" | "add" | "delete" | "same";
  readonly text: string;
  /** In the old and in the new file; null where the line is not in it. */
  readonly old: number | null;
  readonly new: number | null;
}

interface DiffFile {
  readonly name: string;
  readonly added: number;
  readonly deleted: number;
  /** Place of its heading among the lines. */
  readonly place: number;
}

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly files: readonly DiffFile[];
}

const HUNK = /^@@+ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parseDiff(text: string): Diff {
  const lines: DiffLine[] = [];
  const files: { name: string; added: number; deleted: number; place: number }[] = [];
  let old = 0;
  let fresh = 0;
  let inHunk = false;
  for (const line of text.replace(/\r?\n$/, "").split(/\r?\n/)) {
    const hunk = HUNK.exec(line);
    if (line.startsWith("diff ")) {
      inHunk = false;
      files.push({ name: nameIn(line), added: 0, deleted: 0, place: lines.length });
      lines.push({ kind: "file", text: nameIn(line), old: null, new: null });
    } else if (hunk) {
      inHunk = true;
      old = Number(hunk[1]);
      fresh = Number(hunk[2]);
      lines.push({ kind: "hunk", text: line, old: null, new: null });
    } else if (!inHunk || line.startsWith("\\")) {
      lines.push({ kind: "meta", text: line, old: null, new: null });
    } else if (line.startsWith("+")) {
      count(files, "added");
      lines.push({ kind: "add", text: line.slice(1), old: null, new: fresh++ });
    } else if (line.startsWith("-")) {
      count(files, "deleted");
      lines.push({ kind: "delete", text: line.slice(1), old: old++, new: null });
    } else {
      lines.push({ kind: "same", text: line.slice(1), old: old++, new: fresh++ });
    }
  }
  return { lines: text.trim() === "" ? [] : lines, files };
}

function count(files: { added: number; deleted: number }[], what: "added" | "deleted"): void {
  const file = files.at(-1);
  if (file) file[what] += 1;
}

/** `diff --git a/train.py b/train.py` → train.py; anything else as it stands. */
function nameIn(line: string): string {
  const match = /^diff --git a\/(.*) b\/(.*)$/.exec(line);
  if (!match) return line.slice("diff ".length);
  return match[1] === match[2] ? (match[1] as string) : `${match[1]} → ${match[2]}`;
}
