/** A word diff as two columns: stretches that both have are rows of their own, the others side by side. */

import type { DiffPiece } from "../../api/types";

/** Rows in order. Short stretches that both have, between two that differ, stay with them: a word alone is no landmark. */
export function diffRows(pieces: readonly DiffPiece[], least = 80): DiffPiece[][] {
  const rows: DiffPiece[][] = [];
  let open: DiffPiece[] = [];
  pieces.forEach((piece, at) => {
    const isEnd = at === 0 || at === pieces.length - 1;
    if (piece.kind === "equal" && (piece.text.length >= least || isEnd)) {
      if (open.length) rows.push(open);
      rows.push([piece]);
      open = [];
    } else open.push(piece);
  });
  if (open.length) rows.push(open);
  return rows;
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
