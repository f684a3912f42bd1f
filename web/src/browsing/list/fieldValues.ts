/** The number a sample has in a field, as the list's columns name fields. */

import type { SampleRow } from "../../api/types";

export function numberIn(row: SampleRow, field: string): number | null {
  const [, kind, name] = /^(metrics|rewards)\.(.+)$/.exec(field) ?? [];
  if (kind && name) return row[kind as "metrics" | "rewards"][name] ?? null;
  const value = row[field as keyof SampleRow];
  return typeof value === "number" ? value : null;
}

/** Counts have no good and bad end, and no decimals. */
export function isTokenCount(field: string): boolean {
  return field.endsWith("_tokens");
}
