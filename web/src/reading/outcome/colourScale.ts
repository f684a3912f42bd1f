/** Values as colours. A colour is a mix of tokens, so theme and palette change it without this file knowing.
 *
 * Three kinds: "quality" runs from bad to good over a range; "signed" does so around zero; "amount" is neither good nor
 * bad (tokens, counts) and only gets more ink. */

import { fieldNamed } from "../../api/fields";
import type { Range } from "../../api/types";

export interface Scale {
  kind: "quality" | "signed" | "amount";
  min: number;
  max: number;
  higherIsBetter: boolean;
  /** Who said so: the run's config, or the samples themselves. */
  origin: "declared" | "observed";
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

/** The scale of a field in an environment: as declared there, as declared for any, else as observed. */
export function scaleFor(field: string, env: string | null, ranges: Ranges, observed: Observed): Scale {
  const known = (env !== null && ranges[env]?.[field]) || ranges["*"]?.[field] || null;
  const seen = observed[field];
  const min = known?.min ?? seen?.[0] ?? 0;
  const max = known?.max ?? seen?.[1] ?? 1;
  const complete = known !== null && isNumber(known.min) && isNumber(known.max);
  const origin = complete ? (known?.origin ?? "declared") : "observed";
  if (fieldNamed(field)?.kind === "signed" && origin === "observed") {
    const reach = Math.max(Math.abs(min), Math.abs(max));
    return { kind: "signed", min: -reach, max: reach, higherIsBetter: true, origin };
  }
  // A metric that leaves [−1, 1] is no score: a count, a time, a predicted number.
  const isScore = !field.startsWith("metrics.") || (min >= -1 && max <= 1);
  const kind = origin === "observed" && (isAmount(field) || !isScore) ? "amount" : "quality";
  return { kind, min, max, higherIsBetter: known?.higher_is_better ?? true, origin };
}

/** Where a value lies on its scale: 0 worst (or least), 1 best (or most). A scale of one point is its middle, unless
 * that point is an end people agree on: all-zero rewards are not "half good". */
export function placeOn(scale: Scale, value: number): number {
  if (Number.isNaN(value)) return 0.5;
  const width = scale.max - scale.min;
  let place: number;
  if (width > 0) place = Math.min(1, Math.max(0, (value - scale.min) / width));
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

/** The colour of a value; missing values have their own. */
export function colourOf(scale: Scale, value: number | null | undefined, use: "fill" | "ink" = "fill"): string {
  if (value === null || value === undefined) return use === "ink" ? "var(--faint)" : "var(--scale-none)";
  if (scale.kind === "amount") {
    if (use === "ink") return "var(--text)";
    return `color-mix(in oklab, var(--amount) ${18 + Math.round(placeOn(scale, value) * 16) * 5}%, transparent)`;
  }
  if (scale.kind === "signed" && scale.max === 0) return use === "ink" ? "var(--text)" : "var(--scale-none)";
  return qualityColour(placeOn(scale, value), use);
}

/** "0 … 1 declared": the range a colour means. */
export function rangeText(scale: Scale, format: (value: number) => string): string {
  return `${format(scale.min)} … ${format(scale.max)} ${scale.origin}`;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
