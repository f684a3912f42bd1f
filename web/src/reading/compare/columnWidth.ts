/** How wide one completion is beside the others. */

const NARROWEST = 300;
/** How much of the next column shows at the edge, to say that there is one. */
const PEEK = 0.25;

/** All share the width when they fit; else as many as fit, and the beginning of the next. */
export function columnWidth(pane: number, count: number): number {
  if (count * NARROWEST <= pane) return Math.floor(pane / Math.max(1, count));
  const fit = Math.max(1, Math.floor(pane / NARROWEST - PEEK));
  return Math.max(NARROWEST, Math.floor(pane / (fit + PEEK)));
}
