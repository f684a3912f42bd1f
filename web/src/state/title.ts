import type { PageName } from "./url";

const NAMES: Record<PageName, string> = {
  rollouts: "Rollouts",
  discarded: "Discarded",
  evals: "Evals",
  insights: "Insights",
  metrics: "Metrics",
  run: "Run",
  runs: "Runs",
  search: "Search",
};

/** The tab's title: "train/24/18 · Rollouts · demo · Rollscope". What differs between tabs comes first. */
export function titleFor(page: PageName, run: string | null, sample: string | null = null): string {
  return [sample, NAMES[page], run, "Rollscope"].filter(Boolean).join(" · ");
}
