/** How the dots of one column are laid out: as squares while they fit, as a strip of shares when they are too many. */

import { shortFieldName } from "../../api/fields";

export interface DotLayout {
  kind: "dots" | "strip";
  /** Dots in a row. */
  perRow: number;
  /** Side of a dot, and of a dot with its gap, in pixels. */
  size: number;
  pitch: number;
  /** Width of the column in pixels; the same in every row of the list, so that columns line up. */
  width: number;
}

/** The height that two lines of text leave for dots. */
export const DOTS_HEIGHT = 33;
const SIZES = [
  { size: 6, gap: 1, most: 8 },
  { size: 4, gap: 1, most: 11 },
] as const;
/** A sample's value fits: −0.048, 9,999. */
const NARROWEST = 42;
const STRIP_WIDTH = 56;

/** For the largest group of the list: all rows share its layout. */
export function dotLayout(largest: number): DotLayout {
  for (const { size, gap, most } of SIZES) {
    const pitch = size + gap;
    const rows = Math.floor((DOTS_HEIGHT + gap) / pitch);
    if (largest > rows * most) continue;
    // Two or three rows look like a group; one long row looks like a bar.
    const perRow = Math.min(most, Math.max(4, Math.ceil(largest / Math.min(rows, 3))));
    return { kind: "dots", perRow, size, pitch, width: Math.max(NARROWEST, perRow * pitch - gap) };
  }
  return { kind: "strip", perRow: 0, size: 0, pitch: 0, width: STRIP_WIDTH };
}

/** Shares of a strip: places 0…1 (null = missing) in bins from low to high; each bin's place and its part of the whole. */
export function stripShares(places: readonly (number | null)[], bins = 12): { place: number | null; share: number }[] {
  const counts = new Array<number>(bins).fill(0);
  let missing = 0;
  for (const place of places) {
    if (place === null) missing += 1;
    else {
      const bin = Math.min(bins - 1, Math.floor(place * bins));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  const shares: { place: number | null; share: number }[] = counts
    .map((count, bin) => ({ place: bin / (bins - 1), share: count / places.length }))
    .filter(({ share }) => share > 0);
  if (missing) shares.push({ place: null, share: missing / places.length });
  return shares;
}

/** A header that fits over a column: rew, adv, tok; "correct" for metrics.correct, cut when it must be. */
export function shortName(field: string, width: number): string {
  const name = shortFieldName(field);
  const most = Math.max(4, Math.floor(width / 6));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}
