/** How wide a side pane may be, and what keys make of it. */

export type Side = "left" | "right";

const NARROWEST = 240;
/** Leaves the middle pane room for text at 1280 pixels with both sides open. */
const WIDEST_SHARE = 0.45;

export function clampWidth(width: number, window: number): number {
  return Math.round(Math.max(NARROWEST, Math.min(width, Math.max(NARROWEST, window * WIDEST_SHARE))));
}

/** Arrow keys move the edge they point along; Home and End make the pane narrowest and widest. */
export function keyboardWidth(key: string, side: Side, width: number, window: number): number | null {
  const outward = side === "left" ? "ArrowRight" : "ArrowLeft";
  const inward = side === "left" ? "ArrowLeft" : "ArrowRight";
  if (key === outward) return clampWidth(width + 16, window);
  if (key === inward) return clampWidth(width - 16, window);
  if (key === "Home") return clampWidth(0, window);
  if (key === "End") return clampWidth(Number.POSITIVE_INFINITY, window);
  return null;
}
