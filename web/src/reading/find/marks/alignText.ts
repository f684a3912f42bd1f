/** Where the characters of a drawn text stand in the text it was drawn from.
 *
 * Formatting leaves characters out (`**`, fences, a link's address), changes white space, and seldom writes something of
 * its own. So both texts are read side by side without white space and without the characters that formatting is made of;
 * where they differ, the next stretch that both have is looked for: the longer it is, the farther. */

/** How long a stretch must be to be looked for how far. */
const STRETCHES = [
  { length: 1, reach: 4 },
  { length: 2, reach: 12 },
  { length: 3, reach: 40 },
  { length: 4, reach: 120 },
  { length: 8, reach: 4000 },
] as const;
/** Characters that the drawn text may have of its own at one place. */
const OWN = 24;
const OWN_COST = 3;
/** What markdown is written with: it may be drawn, or not. */
const PASSED_OVER = /[\s*_#|`~>\\-]/;

/** For every character of `shown` its place in `source`; -1 where it is none of it, or may be formatting. */
export function alignText(source: string, shown: string): Int32Array {
  const places = new Int32Array(shown.length).fill(-1);
  const same = source.indexOf(shown);
  if (same >= 0) return places.map((_, at) => same + at);
  const from = dense(source);
  const to = dense(shown);
  let at = 0;
  for (let next = 0; next < to.text.length; next += 1) {
    if (from.text[at] !== to.text[next]) {
      const skip = nextCommon(from.text, at, to.text, next);
      if (skip === null) continue;
      at += skip.source;
      next += skip.shown;
    }
    places[to.places[next] as number] = from.places[at] as number;
    at += 1;
  }
  return places;
}

interface Dense {
  readonly text: string;
  readonly places: readonly number[];
}

function dense(text: string): Dense {
  const places: number[] = [];
  const kept: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (PASSED_OVER.test(sign)) continue;
    places.push(at);
    kept.push(sign);
  }
  return { text: kept.join(""), places };
}

interface Skip {
  readonly source: number;
  readonly shown: number;
}

/** How many characters of each are passed over to where they agree again, as few as can be; null where they do not soon. */
function nextCommon(source: string, at: number, shown: string, next: number): Skip | null {
  let best: Skip | null = null;
  let cost = Number.POSITIVE_INFINITY;
  for (let own = 0; own <= OWN && next + own < shown.length && own * OWN_COST < cost; own += 1) {
    for (const { length, reach } of STRETCHES) {
      // A letter or two are soon found somewhere: not enough to say that what stands before them is not of the source.
      if (own > 0 && length < 3) continue;
      const wanted = shown.slice(next + own, next + own + length);
      const found = source.slice(at, at + Math.min(reach, cost) + length).indexOf(wanted);
      if (found < 0 || found > reach || found + own * OWN_COST >= cost) continue;
      best = { source: found, shown: own };
      cost = found + own * OWN_COST;
    }
  }
  return best;
}

/** The stretch of the drawn text that shows characters [start, end) of the source; null where none of them is drawn. */
export function shownStretch(places: Int32Array, start: number, end: number): { from: number; to: number } | null {
  let from = -1;
  let to = -1;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number;
    if (place < start || place >= end) continue;
    if (from < 0) from = at;
    to = at + 1;
  }
  return from < 0 ? null : { from, to };
}

/** A place counted in code points, as the server counts, as a place in a string of JavaScript. */
export function unitPlace(text: string, points: number): number {
  if (!/[\ud800-\udbff]/.test(text)) return Math.min(points, text.length);
  let unit = 0;
  for (let point = 0; point < points && unit < text.length; point += 1)
    unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  return unit;
}
