/** Colours of tokens as ranges of one text: the browser paints them, and no element is made for a token. */

import { SHADES, shadeOf, type TOKEN_COLUMNS, tokenAt } from "./tokenColumns";

const name = (shade: number): string => (shade < 0 ? `token-below-${-shade}` : `token-${shade}`);

export function paintShades(
  text: Node,
  starts: readonly number[],
  column: (typeof TOKEN_COLUMNS)[number],
  values: readonly (number | null)[],
  /** Tokens [first, last): those in view. Ten thousand ranges over one text would be a second of every frame. */
  { first, last }: { first: number; last: number },
): void {
  const ranges = new Map<number, Range[]>();
  const end = Math.min(last, values.length, starts.length - 1);
  let from = first;
  // Neighbours of one shade are one range.
  for (let at = first + 1; at <= end; at++) {
    const shade = shadeOf(column, values[from]);
    if (at < end && shadeOf(column, values[at]) === shade) continue;
    if (shade !== 0) {
      const range = new StaticRange({
        startContainer: text,
        startOffset: starts[from] as number,
        endContainer: text,
        endOffset: starts[at] as number,
      });
      const its = ranges.get(shade);
      if (its) its.push(range as unknown as Range);
      else ranges.set(shade, [range as unknown as Range]);
    }
    from = at;
  }
  for (let shade = 1; shade <= SHADES; shade++)
    for (const each of [shade, -shade]) {
      const its = ranges.get(each);
      if (its) CSS.highlights.set(name(each), new Highlight(...its));
      else CSS.highlights.delete(name(each));
    }
}

export function clearShades(): void {
  for (let shade = 1; shade <= SHADES; shade++) {
    CSS.highlights.delete(name(shade));
    CSS.highlights.delete(name(-shade));
  }
  CSS.highlights.delete("token-current");
}

/** The tokens of a text that are in view, with a few around them. */
export function tokensInView(box: HTMLElement, starts: readonly number[]): { first: number; last: number } {
  const count = starts.length - 1;
  const text = box.firstChild;
  const frame = (box.closest("[data-scrolls]") ?? box).getBoundingClientRect();
  const top = Math.max(frame.top, 0);
  const bottom = Math.min(frame.bottom, window.innerHeight);
  if (count <= ALL_AT_ONCE || !text || bottom - top < 4) return { first: 0, last: Math.min(count, ALL_AT_ONCE) };
  const tokenAtPoint = (x: number, y: number): number | null => {
    const caret = document.caretRangeFromPoint(x, y);
    return caret?.startContainer === text ? tokenAt(starts, caret.startOffset) : null;
  };
  const found = tokenAtPoint(frame.left + 12, top + 6) ?? tokenAtPoint(frame.left + 12, top + 24);
  const end = tokenAtPoint(frame.right - 24, bottom - 6) ?? tokenAtPoint(frame.left + 12, bottom - 24);
  const from = found ?? (end === null ? 0 : end - ALL_AT_ONCE);
  const to = end ?? from + ALL_AT_ONCE;
  return { first: Math.max(0, from - MARGIN), last: Math.min(count, Math.max(to, from) + MARGIN) };
}

const ALL_AT_ONCE = 1500;
const MARGIN = 150;

export function markToken(text: Node, starts: readonly number[], at: number | null): void {
  if (at === null) {
    CSS.highlights.delete("token-current");
    return;
  }
  const range = new StaticRange({
    startContainer: text,
    startOffset: starts[at] as number,
    endContainer: text,
    endOffset: starts[at + 1] as number,
  });
  CSS.highlights.set("token-current", new Highlight(range as unknown as Range));
}
