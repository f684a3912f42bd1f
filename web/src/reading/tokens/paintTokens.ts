/** Colours of tokens as ranges of one text: the browser paints them, and no element is made for a token. */

import { SHADES, shadeOf, type TOKEN_COLUMNS } from "./tokenColumns";

const name = (shade: number): string => (shade < 0 ? `token-below-${-shade}` : `token-${shade}`);

export function paintShades(
  text: Node,
  starts: readonly number[],
  column: (typeof TOKEN_COLUMNS)[number],
  values: readonly (number | null)[],
): void {
  const ranges = new Map<number, Range[]>();
  let from = 0;
  // Neighbours of one shade are one range.
  for (let at = 1; at <= values.length && at < starts.length; at++) {
    const shade = shadeOf(column, values[from]);
    if (at < values.length && at < starts.length - 1 && shadeOf(column, values[at]) === shade) continue;
    if (shade !== 0) {
      const range = new StaticRange({
        startContainer: text,
        startOffset: starts[from] as number,
        endContainer: text,
        endOffset: starts[at] as number,
      });
      ranges.set(shade, [...(ranges.get(shade) ?? []), range as unknown as Range]);
    }
    from = at;
  }
  clearShades();
  for (const [shade, all] of ranges) CSS.highlights.set(name(shade), new Highlight(...all));
}

export function clearShades(): void {
  for (let shade = 1; shade <= SHADES; shade++) {
    CSS.highlights.delete(name(shade));
    CSS.highlights.delete(name(-shade));
  }
  CSS.highlights.delete("token-current");
}

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
