/** The columns of the table of runs: what each says of a run, and how runs are sorted by it. DOM-free. */

import type { RunInfo } from "../api/types";
import { formatCount, formatReward } from "../lib/numbers";
import { configLeaves } from "./useRunConfigs";

type Cell = string | number | null;

interface RunColumn {
  readonly id: string;
  readonly title: string;
  readonly isNumber: boolean;
  /** What is sorted by. */
  readonly value: (run: RunInfo) => Cell;
  readonly text: (run: RunInfo) => string;
  readonly hint?: (run: RunInfo) => string | undefined;
}

const samplesOf = (run: RunInfo): number => run.splits.reduce((sum, split) => sum + split.samples, 0);
export const stepsOf = (run: RunInfo): number => run.splits.reduce((most, split) => Math.max(most, split.steps), 0);

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const RUN_COLUMNS: readonly RunColumn[] = [
  { id: "name", title: "run", isNumber: false, value: ({ name }) => name, text: ({ name }) => name },
  { id: "state", title: "state", isNumber: false, value: ({ state }) => state, text: ({ state }) => state },
  {
    id: "last",
    title: "last reward",
    isNumber: true,
    value: ({ reward }) => reward?.last ?? null,
    text: ({ reward }) => formatReward(reward?.last),
    hint: ({ reward }) => (reward ? `mean of step ${reward.last_step}` : undefined),
  },
  {
    id: "best",
    title: "best reward",
    isNumber: true,
    value: ({ reward }) => reward?.best ?? null,
    text: ({ reward }) => formatReward(reward?.best),
    hint: ({ reward }) => (reward ? `mean of step ${reward.best_step}` : undefined),
  },
  { id: "steps", title: "steps", isNumber: true, value: stepsOf, text: (run) => formatCount(stepsOf(run)) },
  { id: "samples", title: "samples", isNumber: true, value: samplesOf, text: (run) => formatCount(samplesOf(run)) },
  {
    id: "started",
    title: "started",
    isNumber: true,
    value: ({ started }) => started ?? null,
    text: ({ started }) => (started == null ? "–" : time.format(started * 1000)),
    hint: () => "when the oldest of its files was written",
  },
];

export function configColumn(key: string, configs: Readonly<Record<string, unknown>>): RunColumn {
  const value = (run: RunInfo): Cell => {
    const leaf = configLeaves(configs[run.id] ?? {}).get(key);
    return typeof leaf === "number" || typeof leaf === "string" ? leaf : leaf == null ? null : JSON.stringify(leaf);
  };
  return {
    id: `config:${key}`,
    title: key,
    isNumber:
      Object.keys(configs).length > 0 &&
      Object.values(configs).every((config) => {
        const leaf = configLeaves(config).get(key);
        return leaf === undefined || typeof leaf === "number";
      }),
    value,
    text: (run) => String(value(run) ?? "–"),
  };
}

/** In the order of a column ("-started": descending). What has no value comes last either way. */
export function sortRuns(runs: readonly RunInfo[], columns: readonly RunColumn[], sort: string): RunInfo[] {
  const sign = sort.startsWith("-") ? -1 : 1;
  const column = columns.find(({ id }) => id === sort.replace(/^-/, ""));
  if (!column) return [...runs];
  return [...runs].sort((a, b) => {
    const [p, q] = [column.value(a), column.value(b)];
    if (p === null || q === null) return p === q ? 0 : p === null ? 1 : -1;
    return sign * (typeof p === "number" && typeof q === "number" ? p - q : String(p).localeCompare(String(q)));
  });
}
