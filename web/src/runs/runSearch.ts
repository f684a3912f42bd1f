/** Searching the run list: by name or path, or by a config value with `config:lr=5e-7`. */

import type { RunInfo } from "../api/types";

export interface RunSearch {
  text: string;
  /** Config terms: a key (any part of its path) and, after =, a value. */
  config: readonly { key: string; value: string | null }[];
}

export function parseRunSearch(query: string): RunSearch {
  const config: { key: string; value: string | null }[] = [];
  const text = query
    .split(/\s+/)
    .filter((word) => {
      if (!word.startsWith("config:")) return word !== "";
      const [key = "", ...value] = word.slice("config:".length).split("=");
      if (key) config.push({ key: key.toLowerCase(), value: value.length ? value.join("=") : null });
      return false;
    })
    .join(" ")
    .toLowerCase();
  return { text, config };
}

export function matchesName(run: RunInfo, { text }: RunSearch): boolean {
  return text
    .split(" ")
    .every((word) => run.name.toLowerCase().includes(word) || run.path.toLowerCase().includes(word));
}

/** A config holds a term when one of its leaves lies under that key and has that value; numbers compare as numbers. */
export function matchesConfig(config: unknown, { config: terms }: RunSearch): boolean {
  if (terms.length === 0) return true;
  const leaves = [...leavesOf(config, "")];
  return terms.every(({ key, value }) =>
    leaves.some(([path, leaf]) => isUnder(path.toLowerCase(), key) && (value === null || equals(leaf, value))),
  );
}

export function* leavesOf(value: unknown, path: string): Generator<[string, unknown]> {
  if (typeof value !== "object" || value === null) {
    yield [path, value];
    return;
  }
  for (const [key, child] of Object.entries(value)) yield* leavesOf(child, path ? `${path}.${key}` : key);
}

function isUnder(path: string, key: string): boolean {
  return path === key || path.endsWith(`.${key}`) || path.startsWith(`${key}.`) || path.includes(`.${key}.`);
}

function equals(leaf: unknown, wanted: string): boolean {
  if (typeof leaf === "number" && wanted !== "" && Number(wanted) === leaf) return true;
  return String(leaf).toLowerCase() === wanted.toLowerCase();
}
