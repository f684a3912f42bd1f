/** Values as colours. A colour is a mix of tokens, so theme and palette change it without this file knowing.
 *
 * Three kinds: "quality" runs from bad to good over a range; "signed" is red below zero, grey at it and green above;
 * "amount" is neither good nor bad (tokens, counts) and only gets more ink. */

import { fieldNamed } from "../../api/fields";
import type { Range } from "../../api/types";

export interface Scale {
  kind: "quality" | "signed" | "amount";
  min: number;
  max: number;
  higherIsBetter: boolean;
  /** Who said so: the run's config, or the samples themselves; "none" where no value was ever seen. */
  origin: "declared" | "observed" | "none";
  /** Observed values so far outside that the range leaves them out. */
  outliers?: number;
}

export type Ranges = Readonly<Record<string, Readonly<Record<string, Range>>>>;
export type Observed = Readonly<Record<string, readonly [number, number] | undefined>>;

/** Metrics whose names say how much, not how good. Nobody declared a direction for them, and a colour must not invent one. */
const AMOUNT = /(tokens?|length|bytes|len|turns|staleness|step|index|count|calls|errors?|time|seconds|num\w*)$/i;

/** Is a field an amount: by the table of fields, or for what a run brought along by its name. */
function isAmount(field: string): boolean {
  const known = fieldNamed(field);
  if (known) return known.kind === "amount" || known.kind === "identity";
  return !field.startsWith("rewards.") && AMOUNT.test(field);
}
/** Normalised advantages are rarely beyond: what is has its full colour. */
const FULL_ADVANTAGE = 2;

/** The scale of a field in an environment: the range that the server gives for it, else what the step has. */
export function scaleFor(field: string, env: string | null, ranges: Ranges, observed: Observed): Scale {
  const known = (env !== null && ranges[env]?.[field]) || ranges["*"]?.[field] || null;
  const seen = observed[field];
  const min = known?.min ?? seen?.[0];
  const max = known?.max ?? seen?.[1];
  const higherIsBetter = known?.higher_is_better ?? true;
  if (!isNumber(min) || !isNumber(max)) return { kind: "quality", min: 0, max: 0, higherIsBetter, origin: "none" };
  const isDeclared = isNumber(known?.min) && isNumber(known?.max) && known?.origin !== "observed";
  const range = { min, max, higherIsBetter, origin: isDeclared ? "declared" : "observed" } as const;
  if (fieldNamed(field)?.kind === "signed") {
    const reach = Math.min(FULL_ADVANTAGE, Math.max(Math.abs(min), Math.abs(max)));
    return { ...range, kind: "signed", min: -reach, max: reach };
  }
  const outliers = isDeclared ? 0 : (known?.outliers ?? 0);
  // A metric that leaves [−1, 1] is no score: a count, a time, a predicted number.
  const isScore = !field.startsWith("metrics.") || (min >= -1 && max <= 1);
  // What never changes is neither good nor bad. (Of rewards people agree that 0 is nothing and 1 is all.)
  const isConstant = min === max && field !== "reward";
  const kind = !isDeclared && (isAmount(field) || !isScore || isConstant) ? "amount" : "quality";
  return { ...range, kind, ...(outliers > 0 ? { outliers } : {}) };
}

/** The scale of a turn's rewards: bonuses and penalties around zero, which the range of the total says nothing about. */
export function turnScale(rewards: readonly (number | null | undefined)[]): Scale {
  const reach = rewards.reduce<number>((largest, reward) => Math.max(largest, Math.abs(reward ?? 0)), 0);
  return { kind: "signed", min: -reach, max: reach, higherIsBetter: true, origin: "observed" };
}

/** Where a value lies on its scale: 0 worst (or least), 1 best (or most). A scale of one point is its middle, unless
 * that point is an end people agree on: all-zero rewards are not "half good". */
export function placeOn(scale: Scale, value: number): number {
  if (Number.isNaN(value)) return 0.5;
  const width = scale.max - scale.min;
  let place: number;
  if (scale.kind === "signed") {
    // By the root: a small advantage is still told from none.
    const share = scale.max > 0 ? Math.sqrt(Math.min(1, Math.abs(value) / scale.max)) : 0;
    place = 0.5 + (Math.sign(value) * share) / 2;
  } else if (width > 0) place = Math.min(1, Math.max(0, (value - scale.min) / width));
  else if (scale.kind === "quality" && value <= 0) place = 0;
  else if (scale.kind === "quality" && value >= 1) place = 1;
  else place = 0.5;
  return scale.higherIsBetter ? place : 1 - place;
}

const STOPS = ["low", "quarter", "mid", "three-quarter", "high"] as const;

/** The colour at a place on the quality scale; "ink" is dark (or light) enough to be read as text. */
export function qualityColour(place: number, use: "fill" | "ink" = "fill"): string {
  const prefix = use === "ink" ? "--ink" : "--scale";
  // 32 steps: more than eyes tell apart, few enough for the browser to cache.
  const position = Math.round(Math.min(1, Math.max(0, place)) * 32) / 8;
  const below = Math.min(Math.floor(position), STOPS.length - 2);
  const share = position - below;
  if (share === 0) return `var(${prefix}-${STOPS[below]})`;
  if (share === 1) return `var(${prefix}-${STOPS[below + 1]})`;
  return `color-mix(in oklab, var(${prefix}-${STOPS[below + 1]}) ${share * 100}%, var(${prefix}-${STOPS[below]}))`;
}

/** The colour at a place on the signed scale: grey in the middle, and that is zero. */
function signedColour(place: number, use: "fill" | "ink"): string {
  const prefix = use === "ink" ? "--signed-ink" : "--signed";
  const share = Math.round(Math.abs(place - 0.5) * 2 * 16) / 16;
  if (share === 0) return `var(${prefix}-zero)`;
  const end = place < 0.5 ? "below" : "above";
  return share === 1
    ? `var(${prefix}-${end})`
    : `color-mix(in oklab, var(${prefix}-${end}) ${share * 100}%, var(${prefix}-zero))`;
}

/** The colour at a place on a scale, 0…1. */
export function colourAt(scale: Scale, place: number, use: "fill" | "ink" = "fill"): string {
  if (scale.kind === "signed") return signedColour(place, use);
  if (scale.kind === "quality") return qualityColour(place, use);
  if (use === "ink") return "var(--text)";
  return `color-mix(in oklab, var(--amount) ${18 + Math.round(place * 16) * 5}%, transparent)`;
}

/** The colour of a value; missing values have their own, and one of which no range is known (yet) has none. */
export function colourOf(scale: Scale, value: number | null | undefined, use: "fill" | "ink" = "fill"): string {
  if (value === null || value === undefined) return use === "ink" ? "var(--faint)" : "var(--scale-none)";
  if (scale.origin === "none") return use === "ink" ? "var(--text)" : "var(--scale-none)";
  return colourAt(scale, placeOn(scale, value), use);
}

/** "0 … 1 declared": the range a colour means; null where nothing is known. */
export function rangeText(scale: Scale, format: (value: number) => string): string | null {
  if (scale.origin === "none") return null;
  const text = `${format(scale.min)} … ${format(scale.max)} ${scale.origin}`;
  if (!scale.outliers) return text;
  return `${text}, ${scale.outliers === 1 ? "1 outlier" : `${scale.outliers} outliers`} left out`;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
