/** A word diff as two columns: stretches that both have are rows of their own, the others side by side. */

import type { DiffPiece } from "../../api/types";

/** Rows in order. A row ends where both texts end a line together; whole lines that both have, and long stretches, are
 * rows of their own. Short ones between two that differ stay with them: a word alone is no landmark. */
export function diffRows(pieces: readonly DiffPiece[], least = 80): DiffPiece[][] {
  const rows: DiffPiece[][] = [];
  let open: DiffPiece[] = [];
  const close = (): void => {
    if (open.length) rows.push(open);
    open = [];
  };
  /** Whether the next word of A, and of B, begins a line. */
  let [a, b] = [true, true];
  pieces.forEach((piece, at) => {
    const { kind, text } = piece;
    const endsLine = text.endsWith("\n");
    if (kind !== "equal") open.push(piece);
    else if (at === 0 || at === pieces.length - 1) {
      close();
      rows.push([piece]);
    } else {
      const to = text.lastIndexOf("\n") + 1;
      const from = a && b ? 0 : text.indexOf("\n") + 1;
      const isBlank = text.slice(from, to).trim() === "";
      const [begun, whole, rest] = isBlank ? [cut(piece, 0, to), null, cut(piece, to)] : cuts(piece, from, to);
      if (begun) open.push(begun);
      if (to > 0) close();
      if (whole) rows.push([whole]);
      if (rest && rest.text.length >= least) {
        close();
        rows.push([rest]);
      } else if (rest) open.push(rest);
    }
    if (kind !== "insert") a = endsLine;
    if (kind !== "delete") b = endsLine;
  });
  close();
  return rows;
}

/** What ends the line before, the lines that are whole, and what begins the next. */
function cuts(piece: DiffPiece, from: number, to: number): [DiffPiece | null, DiffPiece | null, DiffPiece | null] {
  return [cut(piece, 0, from), cut(piece, from, to), cut(piece, to)];
}

function cut(piece: DiffPiece, from: number, to = piece.text.length): DiffPiece | null {
  return to > from ? { ...piece, text: piece.text.slice(from, to), a: piece.a + from, b: piece.b + from } : null;
}

/** The two ends of a long stretch that both have. */
export function foldedEnds(text: string, ends = 160): { start: string; end: string; between: number } | null {
  const points = [...text];
  if (points.length <= ends * 2 + 80) return null;
  return {
    start: points.slice(0, ends).join(""),
    end: points.slice(-ends).join(""),
    between: points.length - ends * 2,
  };
}

/** A stretch of the overview: what it holds, and how long the longer of the two texts is there. */
export interface Stretch {
  readonly kind: "same" | "a" | "b" | "both";
  readonly characters: number;
  /** The piece it begins with. */
  readonly first: DiffPiece;
}

/** The whole diff in a line: what is the same, what only A has, only B, or each in its own way. In a long text, common
 * words between two differences are part of them: a line has room for so many stretches and no more. */
export function overview(pieces: readonly DiffPiece[], most = 200): Stretch[] {
  const found: Stretch[] = [];
  const tiny = pieces.reduce((sum, { text }) => sum + text.length, 0) / most;
  const isLong = pieces.length > most;
  let open: DiffPiece[] = [];
  const length = (kind: DiffPiece["kind"]): number =>
    open.reduce((sum, piece) => sum + (piece.kind === kind ? piece.text.length : 0), 0);
  const close = (): void => {
    const [first] = open;
    const [a, b] = [length("delete"), length("insert")];
    if (first) found.push({ kind: a && b ? "both" : a ? "a" : "b", characters: Math.max(a, b), first });
    open = [];
  };
  for (const piece of pieces) {
    if (piece.kind === "equal") {
      if (isLong && open.length > 0 && piece.text.length < tiny) continue;
      close();
      found.push({ kind: "same", characters: piece.text.length, first: piece });
    } else open.push(piece);
  }
  close();
  return found;
}
