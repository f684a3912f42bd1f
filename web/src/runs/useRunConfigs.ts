/** Configs of several runs, asked for only when a search or a column needs them. */

import { useQueries } from "@tanstack/react-query";
import { runQuery } from "../api/hooks";
import type { RunDetails, RunInfo } from "../api/types";
import { leavesOf, matchesConfig, type RunSearch } from "./runSearch";

interface RunConfigs {
  /** By run; undefined while it is on its way. */
  readonly configs: Readonly<Record<string, unknown>>;
  readonly isPending: boolean;
}

export function useRunConfigs(runs: readonly RunInfo[], isWanted: boolean): RunConfigs {
  return useQueries({ queries: isWanted ? runs.map((run) => runQuery(run.id)) : [], combine: configsOf });
}

function configsOf(results: readonly { data?: RunDetails | undefined; isPending: boolean }[]): RunConfigs {
  const configs: Record<string, unknown> = {};
  for (const { data } of results) if (data) configs[data.info.id] = data.config ?? {};
  return { configs, isPending: results.some(({ isPending }) => isPending) };
}

/** Runs whose config fits. */
export function useConfigMatches(
  runs: readonly RunInfo[],
  search: RunSearch,
): { found: RunInfo[]; isLooking: boolean } {
  const asks = search.config.length > 0;
  const { configs, isPending } = useRunConfigs(runs, asks);
  if (!asks) return { found: [...runs], isLooking: false };
  return {
    found: runs.filter((run) => configs[run.id] !== undefined && matchesConfig(configs[run.id], search)),
    isLooking: isPending,
  };
}

/** Every leaf of a config, by the keys that lead to it. */
export function configLeaves(config: unknown): ReadonlyMap<string, unknown> {
  return new Map(leavesOf(config, ""));
}

/** The keys whose values differ between runs first: those are what one compares. */
export function configKeys(configs: Readonly<Record<string, unknown>>): string[] {
  const values = new Map<string, Set<string>>();
  const all = Object.values(configs).map(configLeaves);
  for (const leaves of all)
    for (const [key, value] of leaves) values.set(key, (values.get(key) ?? new Set()).add(JSON.stringify(value)));
  const differs = (key: string): boolean => (values.get(key)?.size ?? 0) > 1 || all.some((leaves) => !leaves.has(key));
  const keys = [...values.keys()].sort();
  return [...keys.filter(differs), ...keys.filter((key) => !differs(key))];
}
