/** A run's config as rows: each value with the path that leads to it. Searching and comparing are over these rows. */

import type { RunDetails } from "../api/types";

export interface ConfigRow {
  /** Keys from the root: `dataset.group_size`, `layers[0].heads`. */
  readonly path: string;
  readonly key: string;
  readonly depth: number;
  readonly kind: "branch" | "text" | "number" | "boolean" | "null";
  /** The value of a leaf as JSON writes it; of a branch, how much is in it. */
  readonly value: string;
}

/** Deeper than this a value is written out as one line of JSON: nobody folds forty levels open. */
const MAX_DEPTH = 24;

interface Pending {
  readonly path: string;
  readonly key: string;
  readonly depth: number;
  readonly value: unknown;
}

export function configRows(config: unknown): ConfigRow[] {
  const rows: ConfigRow[] = [];
  // A stack, not recursion: a config may be nested as deep as its writer liked.
  const stack: Pending[] = children("", -1, config).reverse();
  while (stack.length > 0) {
    const { path, key, depth, value } = stack.pop() as Pending;
    const inside = depth < MAX_DEPTH ? children(path, depth, value) : [];
    if (inside.length === 0) rows.push({ path, key, depth, kind: kindOf(value), value: written(value) });
    else {
      rows.push({ path, key, depth, kind: "branch", value: sizeOf(value) });
      for (const child of inside.reverse()) stack.push(child);
    }
  }
  return rows;
}

function children(path: string, depth: number, value: unknown): Pending[] {
  if (Array.isArray(value)) {
    return value.map((item, i) => ({ path: `${path}[${i}]`, key: `[${i}]`, depth: depth + 1, value: item }));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([key, item]) => ({
    path: path === "" ? key : `${path}.${key}`,
    key,
    depth: depth + 1,
    value: item,
  }));
}

function kindOf(value: unknown): ConfigRow["kind"] {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return "text";
}

/** Text without its quotes, unless it is empty or would be taken for something else. */
function written(value: unknown): string {
  if (typeof value === "string")
    return value === "" || /^(-?\d|true$|false$|null$)/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? "null";
}

function sizeOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value as object).length}}`;
}

/** The rows that match, with the branches that lead to them. A branch that matches brings what is in it. */
export function searchConfig(rows: readonly ConfigRow[], query: string): ConfigRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...rows];
  const kept = new Set<number>();
  const above: number[] = [];
  rows.forEach((row, place) => {
    above.length = row.depth;
    const text = `${row.path} ${row.kind === "branch" ? "" : row.value}`.toLowerCase();
    if (words.every((word) => text.includes(word))) {
      for (const ancestor of above) kept.add(ancestor);
      kept.add(place);
    }
    above[row.depth] = place;
  });
  return rows.filter((_, place) => kept.has(place));
}

/** The rows not inside a folded branch. */
export function unfoldedRows(rows: readonly ConfigRow[], folded: ReadonlySet<string>): ConfigRow[] {
  let hiddenBelow = Number.POSITIVE_INFINITY;
  return rows.filter((row) => {
    if (row.depth > hiddenBelow) return false;
    hiddenBelow = row.kind === "branch" && folded.has(row.path) ? row.depth : Number.POSITIVE_INFINITY;
    return true;
  });
}

interface ConfigDifference {
  readonly path: string;
  /** As JSON writes it; null where that config has nothing there. */
  readonly here: string | null;
  readonly there: string | null;
}

interface ConfigComparison {
  /** Only what differs, leaf by leaf, in the order of the first. */
  readonly differences: readonly ConfigDifference[];
  /** Keys that one of the two has, or both. */
  readonly keys: number;
  /** Keys that say which run it is or when it was written: every two runs differ in them. */
  readonly left: readonly string[];
}

type Configured = Pick<RunDetails, "config" | "config_identity">;

export function compareConfigs(here: Configured, there: Configured): ConfigComparison {
  const ours = leaves(here.config);
  const theirs = leaves(there.config);
  const identity = new Set([...here.config_identity, ...there.config_identity]);
  const all = [...new Set([...ours.keys(), ...theirs.keys()])];
  const paths = all.filter((path) => !identity.has(path));
  const differences = paths.flatMap((path): ConfigDifference[] => {
    const a = ours.get(path) ?? null;
    const b = theirs.get(path) ?? null;
    return a === b ? [] : [{ path, here: a, there: b }];
  });
  return { differences, keys: paths.length, left: all.filter((path) => identity.has(path)) };
}

function leaves(config: unknown): Map<string, string> {
  const rows = configRows(config).filter((row) => row.kind !== "branch");
  return new Map(rows.map((row) => [row.path, row.value]));
}
