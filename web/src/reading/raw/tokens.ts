/** Per-token values of a response: which there are, and how they are coloured. */

import type { TokenArrays } from "../../api/types";
import type { Scale } from "../outcome/colourScale";

export type TokenValue = "logprobs" | "trainer_logprobs" | "entropy" | "advantage" | "mask";

export const TOKEN_VALUES: readonly { key: TokenValue; label: string }[] = [
  { key: "logprobs", label: "log-probability" },
  { key: "trainer_logprobs", label: "log-probability (trainer)" },
  { key: "entropy", label: "entropy" },
  { key: "advantage", label: "advantage" },
  { key: "mask", label: "loss mask" },
];

export function tokenCount(tokens: TokenArrays): number {
  return Math.max(tokens.strings?.length ?? 0, tokens.ids?.length ?? 0, tokens.logprobs?.length ?? 0);
}

export function availableValues(tokens: TokenArrays): { key: TokenValue; label: string }[] {
  return TOKEN_VALUES.filter(({ key }) => (tokens[key]?.length ?? 0) > 0);
}

/** A token as text; a token that is only an id shows that. */
export function tokenText(tokens: TokenArrays, at: number): string {
  return tokens.strings?.[at] ?? (tokens.ids?.[at] === undefined ? "·" : `⟨${tokens.ids[at]}⟩`);
}

/** Probabilities and entropies have ends people know; advantages are around zero. */
export function tokenScale(key: TokenValue, values: readonly (number | null)[]): Scale {
  const finite = values.filter((value) => value !== null);
  const low = finite.reduce((a, b) => Math.min(a, b), 0);
  const high = finite.reduce((a, b) => Math.max(a, b), 0);
  const base = { higherIsBetter: true, origin: "observed" as const };
  if (key === "advantage") {
    const reach = Math.max(Math.abs(low), Math.abs(high));
    return { ...base, kind: "signed", min: -reach, max: reach };
  }
  if (key === "logprobs" || key === "trainer_logprobs")
    return { ...base, kind: "quality", min: Math.max(low, -8), max: 0 };
  return { ...base, kind: "amount", min: 0, max: Math.max(high, 1e-9) };
}
