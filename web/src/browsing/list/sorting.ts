/** Sort keys: a field, with a minus sign for descending. */

import { fieldName } from "../dots/dotLayout";

export interface SortKey {
  field: string;
  descending: boolean;
}

export function parseSort(sort: string): SortKey {
  return sort.startsWith("-") ? { field: sort.slice(1), descending: true } : { field: sort, descending: false };
}

export function formatSort({ field, descending }: SortKey): string {
  return descending ? `-${field}` : field;
}

const FIRST = ["index", "reward", "completion_tokens", "advantage"];
const NAMES: Record<string, string> = { completion_tokens: "response length", spread: "spread of reward" };

/** What a list can be sorted by: the usual ones, the spread for groups, then every other numeric field there is. */
export function sortFields(fields: readonly string[], kind: "groups" | "samples"): string[] {
  const usual = FIRST.filter((field) => field === "index" || fields.includes(field));
  const others = fields.filter((field) => !usual.includes(field) && field !== "group");
  return [...usual, ...(kind === "groups" ? ["spread"] : []), ...others];
}

export function sortName(field: string): string {
  return NAMES[field] ?? fieldName(field);
}

/** Choosing the chosen field turns the order round; another field starts with what people look for first: the largest
 * spread, the worst reward, the longest response. */
export function chooseSort(current: SortKey, field: string): SortKey {
  if (field === current.field) return { field, descending: !current.descending };
  return { field, descending: field === "spread" || /tokens|length/.test(field) };
}
