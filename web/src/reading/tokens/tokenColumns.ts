/** What is known of each token: which columns there are, and how a value is coloured.
 *
 * Colours mean the same in every sample: the ends are fixed, not taken from what happens to be in view. */

import type { SampleTokens, TokenLine } from "../../api/types";

export type TokenColumn =
  | "logprobs"
  | "trainer_logprobs"
  | "reference_logprobs"
  | "ratio"
  | "mismatch_kl"
  | "reference_kl"
  | "entropy"
  | "advantage"
  | "mask"
  | "masked";

/** 0 is calm, 1 is as far out as colours tell; null: no value. Signed columns go from -1 to 1. */
type Place = (value: number) => number;

const between =
  (calm: number, far: number): Place =>
  (value) =>
    Math.min(Math.max((value - calm) / (far - calm), 0), 1);

interface ColumnInfo {
  readonly key: TokenColumn;
  readonly label: string;
  readonly place: Place;
  readonly signed?: boolean;
}

/** A probability of 1 in 3,000 is as unlikely as colours tell; a ratio of 3 (TRL's bound) as far off; 10 equal choices. */
export const TOKEN_COLUMNS: readonly ColumnInfo[] = [
  { key: "logprobs", label: "log-probability", place: between(0, -8) },
  { key: "trainer_logprobs", label: "of the trainer", place: between(0, -8) },
  { key: "reference_logprobs", label: "of the reference", place: between(0, -8) },
  { key: "ratio", label: "importance ratio", place: (value) => between(0, Math.log(3))(Math.abs(Math.log(value))) },
  { key: "mismatch_kl", label: "k3, trainer and sampler", place: between(0, 0.5) },
  { key: "reference_kl", label: "k3, to the reference", place: between(0, 0.5) },
  { key: "entropy", label: "entropy", place: between(0, Math.log(10)) },
  { key: "advantage", label: "advantage", place: (value) => Math.min(Math.max(value / 2, -1), 1), signed: true },
  { key: "mask", label: "loss mask", place: (value) => (value ? 0.5 : 0) },
  { key: "masked", label: "left out by the trainer", place: (value) => (value ? 1 : 0) },
];

export function availableColumns(tokens: SampleTokens): ColumnInfo[] {
  return TOKEN_COLUMNS.filter(({ key }) => (tokens[key]?.length ?? 0) > 0);
}

/** A token as text; a token that is only an id shows that. */
export function tokenText({ strings, ids }: Pick<SampleTokens, "strings" | "ids">, at: number): string {
  return strings?.[at] ?? (ids?.[at] === undefined ? "·" : `⟨${ids[at]}⟩`);
}

/** Steps of colour from calm to far; a signed column has as many on each side. */
export const SHADES = 6;

/** The shade of a value: 0 has no colour; below zero for the lower side of a signed column. */
export function shadeOf(column: ColumnInfo, value: number | null | undefined): number {
  if (value === null || value === undefined || !Number.isFinite(value)) return 0;
  return Math.round(column.place(value) * SHADES);
}

/** Where each token begins in the text of all of them, and where the last ends. */
export function tokenStarts(texts: readonly string[]): number[] {
  const starts = [0];
  for (const text of texts) starts.push((starts.at(-1) as number) + text.length);
  return starts;
}

/** The token that a character of the text belongs to. */
export function tokenAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.min(low, starts.length - 2);
}

/** The next place of a sorted list after this one; round the end to the first. */
export function nextPlace(places: readonly number[], at: number | null): number | null {
  return places.find((place) => place > (at ?? -1)) ?? places[0] ?? null;
}

export interface Stretch {
  readonly low: number;
  readonly high: number;
}

/** At most this many stretches of the values, each with its lowest and highest: what a curve can show. */
export function stretches(values: readonly (number | null)[], most: number): (Stretch | null)[] {
  const count = Math.min(most, values.length);
  return Array.from({ length: count }, (_, nth) => {
    const from = Math.floor((nth * values.length) / count);
    const to = Math.max(from + 1, Math.floor(((nth + 1) * values.length) / count));
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let at = from; at < to; at++) {
      const value = values[at];
      if (value === null || value === undefined || !Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high < low ? null : { low, high };
  });
}

export function linesOf(tokens: Pick<SampleTokens, "lines">, key: TokenColumn): TokenLine[] {
  return (tokens.lines ?? []).filter(({ column }) => column === key);
}
