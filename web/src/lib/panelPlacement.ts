/** Where a panel goes that belongs to a button: below it, above it when there is more room there, always inside the window. */

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface Placed {
  left: number;
  top: number;
  maxHeight: number;
}

const GAP = 4;
const EDGE = 8;

export function placePanel(
  anchor: Box,
  panel: { width: number; height: number },
  frame: { width: number; height: number },
  align: "start" | "end" = "start",
): Placed {
  const wanted = align === "start" ? anchor.left : anchor.left + anchor.width - panel.width;
  const left = Math.max(EDGE, Math.min(wanted, frame.width - panel.width - EDGE));
  const below = frame.height - (anchor.top + anchor.height) - GAP - EDGE;
  const above = anchor.top - GAP - EDGE;
  if (panel.height <= below || below >= above) {
    return { left, top: anchor.top + anchor.height + GAP, maxHeight: below };
  }
  return { left, top: Math.max(EDGE, anchor.top - GAP - panel.height), maxHeight: above };
}
