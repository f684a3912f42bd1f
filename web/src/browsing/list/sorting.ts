/** Sort keys: a field, with a minus sign for descending. */

import { fieldName, fieldNamed, fieldsShownIn } from "../../api/fields";

interface SortKey {
  field: string;
  descending: boolean;
}

export function parseSort(sort: string): SortKey {
  return sort.startsWith("-") ? { field: sort.slice(1), descending: true } : { field: sort, descending: false };
}

export function formatSort({ field, descending }: SortKey): string {
  return descending ? `-${field}` : field;
}

/** What a list can be sorted by: the usual ones, the spread for groups, then every other numeric field there is. */
export function sortFields(fields: readonly string[], kind: "groups" | "samples", isAcross = false): string[] {
  const dots = fieldsShownIn("dots").map(({ name }) => name);
  const usual = ["index", ...dots.filter((field) => fields.includes(field))];
  const others = fields.filter((field) => !usual.includes(field) && field !== "group" && field !== "step");
  return [...(isAcross ? ["step"] : []), ...usual, ...(kind === "groups" ? ["spread"] : []), ...others];
}

export function sortName(field: string): string {
  return field === "spread" ? "spread of reward" : fieldName(field);
}

/** Choosing the chosen field turns the order round; another field starts with what people look for first: the largest
 * spread, the worst reward, the longest response. */
export function chooseSort(current: SortKey, field: string): SortKey {
  if (field === current.field) return { field, descending: !current.descending };
  return { field, descending: field === "spread" || fieldNamed(field)?.kind === "amount" };
}
