/** Texts too long to hold at once, in segments that are fetched as they are scrolled to.
 *
 * A segment is asked for at fixed places, and shown from its first line break to the next one's first line break, so
 * that no line is torn. For that each request reaches a little into the next segment. */

/** A few screens of text: what is not in view is neither fetched nor laid out. */
export const SEGMENT_CHARS = 8_000;
/** How far to look for a line break; a longer line is cut. */
export const OVERLAP_CHARS = 2_000;

interface SegmentRequest {
  start: number;
  end: number;
}

export function segmentCount(chars: number): number {
  return Math.max(1, Math.ceil(chars / SEGMENT_CHARS));
}

/** The characters (code points) to ask for to show segment `index`. */
export function segmentRequest(index: number, chars: number): SegmentRequest {
  const start = index * SEGMENT_CHARS;
  return { start, end: Math.min(chars, start + SEGMENT_CHARS + OVERLAP_CHARS) };
}

export interface ShownSegment {
  readonly text: string;
  /** Where it begins in the whole, in code points. */
  readonly from: number;
}

/** What of the answer to a request is shown as that segment. */
export function shownSegment(text: string, index: number, chars: number): ShownSegment {
  const points = byPoints(text);
  const from = index === 0 ? 0 : afterBreak(points, 0);
  const isLast = index === segmentCount(chars) - 1;
  const to = isLast ? points.length : afterBreak(points, Math.min(SEGMENT_CHARS, points.length));
  return { text: points.text(from, to), from: index * SEGMENT_CHARS + from };
}

function afterBreak(points: Points, from: number): number {
  const ahead = points.text(from, from + OVERLAP_CHARS);
  const found = ahead.indexOf("\n");
  return found < 0 ? from : from + byPoints(ahead.slice(0, found)).length + 1;
}

/** A text whose places are counted in code points, as the server counts them. */
export interface Points {
  readonly length: number;
  text(from: number, to: number): string;
}

export function byPoints(text: string): Points {
  // Nearly every text has none that take two units: then both counts are the same, and a slice costs nothing.
  if (!/[\ud800-\udbff]/.test(text)) return { length: text.length, text: (from, to) => text.slice(from, to) };
  const points = [...text];
  return { length: points.length, text: (from, to) => points.slice(from, to).join("") };
}

/** A first guess at a segment's height, before it is drawn. */
export function estimateHeight(chars: number, charsPerLine: number, lineHeight: number): number {
  return Math.ceil(chars / Math.max(20, charsPerLine)) * lineHeight;
}
