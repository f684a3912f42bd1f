/** Where formulas are in a text: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Money is not maths.
 *
 * A dollar sign opens a formula only before something that is not space, and closes one only after something that is
 * not space and before something that is no digit (pandoc's rule): `$5.00 and $6.00` stays what it is. */

interface MathMatch {
  tex: string;
  display: boolean;
  /** The character after the closing delimiter. */
  end: number;
}

/** Longer ones are not formulas anybody reads, and typesetting them would take the page's time. */
export const LONGEST_FORMULA = 4000;

/** The formula that begins exactly at `start`, or null. */
export function mathAt(text: string, start: number): MathMatch | null {
  if (isEscaped(text, start)) return null;
  const two = text.slice(start, start + 2);
  if (two === "$$") return delimited(text, start, "$$", true);
  if (two === "\\[") return delimited(text, start, "\\]", true);
  if (two === "\\(") return delimited(text, start, "\\)", false);
  return text[start] === "$" ? dollars(text, start) : null;
}

function delimited(text: string, start: number, close: string, display: boolean): MathMatch | null {
  const end = closing(text, start + 2, close);
  if (end < 0) return null;
  const tex = text.slice(start + 2, end).trim();
  return tex ? { tex, display, end: end + close.length } : null;
}

function closing(text: string, from: number, close: string): number {
  // Only as far as a formula may reach: a text full of opening delimiters must not be searched to its end for each.
  const reach = text.slice(from, from + LONGEST_FORMULA + close.length);
  for (let at = reach.indexOf(close); at >= 0; at = reach.indexOf(close, at + 1)) {
    // `\\]` is a line break's two backslashes and then a bracket; `\$` is a sign.
    if (!isEscaped(text, from + at)) return from + at;
  }
  return -1;
}

function dollars(text: string, start: number): MathMatch | null {
  const after = text[start + 1];
  if (after === undefined || /\s/.test(after)) return null;
  const last = Math.min(text.length - 1, start + LONGEST_FORMULA);
  for (let at = start + 1; at <= last; at += 1) {
    const sign = text[at];
    if (sign === "\n" && text[at + 1] === "\n") return null;
    if (sign !== "$" || isEscaped(text, at)) continue;
    if (/\s/.test(text[at - 1] ?? "") || /\d/.test(text[at + 1] ?? "")) return null;
    const tex = text.slice(start + 1, at);
    return tex && !isMoney(tex) ? { tex, display: false, end: at + 1 } : null;
  }
  return null;
}

/** `5.00 per ticket and 3` between two dollar signs: an amount followed by words, with nothing of mathematics in it. */
function isMoney(tex: string): boolean {
  return /^\d[\d,.]*\s+[a-z]{2,}/i.test(tex) && !/[\\^_={}<>+*]/.test(tex);
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

type TextPiece = { kind: "text"; text: string } | { kind: "math"; tex: string; display: boolean; source: string };

/** A text as prose and formulas in turn. Joining `text` and `source` gives the text back. */
export function splitMath(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  const opening = /\$|\\[([]/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const found = mathAt(text, match.index);
    if (!found) {
      if (text.startsWith("$$", match.index)) opening.lastIndex = match.index + 2;
      continue;
    }
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    const source = text.slice(match.index, found.end);
    pieces.push({ kind: "math", tex: found.tex, display: found.display, source });
    from = found.end;
    opening.lastIndex = from;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}
