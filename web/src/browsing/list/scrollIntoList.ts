import type { Virtualizer } from "@tanstack/react-virtual";

/** Brings a row into view if it is not. Asks only what the list already knows: to scroll for nothing would make the
 * browser lay out the whole page in the middle of drawing the next sample. */
export function bringIntoView(list: Virtualizer<HTMLDivElement, Element>, row: number): void {
  const place = list.measurementsCache[row];
  const top = list.scrollOffset ?? 0;
  const height = list.scrollRect?.height ?? 0;
  if (place && height > 0 && place.start >= top && place.end <= top + height) return;
  list.scrollToIndex(row, { align: "auto" });
}
