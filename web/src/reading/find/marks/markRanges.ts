/** The characters of a finding as ranges over what is drawn of a part, however it is formatted. */

import { alignText, shownStretch, unitPlace } from "./alignText";

export interface Stretch {
  start: number;
  end: number;
}

/** A run of drawn text: a text node, or a formula, which is only whole. */
interface Piece {
  readonly start: number;
  readonly text: string;
  readonly node: Text | null;
  readonly formula: Element | null;
}

/** Ranges of stretches (in code points of `source`) in the element that shows a part; null where one is not drawn. */
export function rangesIn(part: Element, source: string, stretches: readonly Stretch[]): (Range | null)[] {
  const segments = [...part.querySelectorAll<HTMLElement>("[data-from]")];
  if (segments.length > 0) return stretches.map((stretch) => rangeInSegments(segments, stretch));
  const pieces = piecesOf(part);
  const shown = pieces.map(({ text }) => text).join("");
  const places = alignText(source, shown);
  return stretches.map(({ start, end }) => {
    const found = shownStretch(places, unitPlace(source, start), unitPlace(source, end));
    return found && rangeOf(pieces, found.from, found.to);
  });
}

function piecesOf(root: Element): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  const add = (text: string, node: Text | null, formula: Element | null): void => {
    pieces.push({ start, text, node, formula });
    start += text.length;
  };
  const walk = (node: Node): void => {
    if (node instanceof Text) add(node.data, node, null);
    if (!(node instanceof Element) || node.matches("[data-find=off]")) return;
    // A set formula is other characters: its source stands for it, and it is marked whole.
    if (node.matches("[data-math]")) add(node.getAttribute("title") ?? "", null, node);
    else for (const child of node.childNodes) walk(child);
  };
  walk(root);
  return pieces;
}

function rangeOf(pieces: readonly Piece[], from: number, to: number): Range | null {
  const holds = (place: number) => pieces.find(({ start, text }) => place >= start && place < start + text.length);
  const first = holds(from);
  const last = holds(to - 1);
  if (!first || !last) return null;
  const range = document.createRange();
  if (first.node) range.setStart(first.node, from - first.start);
  else range.setStartBefore(first.formula as Element);
  if (last.node) range.setEnd(last.node, to - last.start);
  else range.setEndAfter(last.formula as Element);
  return range;
}

/** Long texts are drawn in segments that say where they begin. */
function rangeInSegments(segments: readonly HTMLElement[], { start, end }: Stretch): Range | null {
  const range = document.createRange();
  let isFound = false;
  for (const segment of segments) {
    const node = segment.firstChild;
    if (!(node instanceof Text)) continue;
    const begins = Number(segment.dataset.from);
    const low = unitPlace(node.data, Math.max(0, start - begins));
    const high = unitPlace(node.data, Math.max(0, end - begins));
    if (low >= node.data.length || high <= 0) continue;
    if (!isFound) range.setStart(node, low);
    range.setEnd(node, high);
    isFound = true;
  }
  return isFound ? range : null;
}
