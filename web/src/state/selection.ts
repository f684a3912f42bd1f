/** From what the URL says to what is shown: the run, split and step that exist, by the rules of each page. DOM-free. */

import type { RunInfo, SplitInfo, StepRow } from "../api/types";
import { quoted } from "./conditions";
import type { StepChoice } from "./url";

/** Rollouts, Discarded and Evals are this: which splits, and which samples of them. */
export interface PageQuery {
  page: "rollouts" | "discarded" | "evals";
  discarded: boolean;
  splits: (splits: readonly SplitInfo[]) => SplitInfo[];
}

const isEval = (split: string): boolean => split === "eval" || split.startsWith("eval/");

export const ROLLOUTS: PageQuery = { page: "rollouts", discarded: false, splits: (all) => [...all] };
export const DISCARDED: PageQuery = {
  page: "discarded",
  discarded: true,
  splits: (all) => all.filter(({ discarded }) => discarded > 0),
};
export const EVALS: PageQuery = {
  page: "evals",
  discarded: false,
  splits: (all) => all.filter(({ split }) => isEval(split)),
};

/** The run asked for; else the one that was written to last. */
export function chooseRun(runs: readonly RunInfo[], wanted: string | null): RunInfo | null {
  if (wanted !== null) return runs.find(({ id, name }) => id === wanted || name === wanted) ?? null;
  const readable = runs.filter(({ state }) => state !== "unreadable");
  const newest = readable.reduce((latest, { modified }) => Math.max(latest, modified ?? 0), 0);
  return readable.find(({ modified }) => (modified ?? 0) === newest) ?? runs[0] ?? null;
}

export function chooseSplit(splits: readonly SplitInfo[], wanted: string | null): string | null {
  if (wanted !== null && splits.some(({ split }) => split === wanted)) return wanted;
  return splits.find(({ samples, discarded }) => samples + discarded > 0)?.split ?? splits[0]?.split ?? null;
}

/** Steps that hold something for the page. A step still being read counts: its samples are coming. */
export function stepsOf(query: PageQuery, steps: readonly StepRow[]): StepRow[] {
  return steps.filter((row) => (query.discarded ? row.discarded > 0 : row.samples > 0 || !row.complete));
}

/** The step shown: the one asked for if it is there, the newest for "latest" or none, null when there are none. A step of the
 * run that has nothing for this page (a step without discarded samples) stands for the nearest one that has. */
export function chooseStep(
  steps: readonly StepRow[],
  wanted: StepChoice,
  ofRun: readonly StepRow[] = steps,
): number | null {
  if (typeof wanted === "number" && steps.some(({ step }) => step === wanted)) return wanted;
  if (typeof wanted === "number") return ofRun.some(({ step }) => step === wanted) ? nearest(steps, wanted) : null;
  return (steps.findLast(({ samples, discarded }) => samples + discarded > 0) ?? steps.at(-1))?.step ?? null;
}

function nearest(steps: readonly StepRow[], wanted: number): number | null {
  const numbers = steps.map(({ step }) => step);
  return numbers.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted) || a - b)[0] ?? null;
}

/** What stands for a sample's outcome where the step has no rewards: the first metric there is. */
export function primaryField(step: StepRow | null, fields: readonly string[]): string {
  if (step === null || step.reward.count > 0 || !step.complete) return "reward";
  const metrics = fields.filter((field) => field.startsWith("metrics."));
  return metrics.find((field) => /correct|accuracy|success|pass|score/i.test(field)) ?? metrics[0] ?? "reward";
}

/** "step 312 filling · 41 of 64 groups", or null. The newest step fills while its files are not read to their end, and,
 * in a run that is being written, while it has fewer groups than the step before. */
export function fillingText(steps: readonly StepRow[], isLive: boolean): string | null {
  const newest = steps.at(-1);
  if (!newest) return null;
  const before = steps.slice(0, -1).findLast(({ groups }) => groups > 0);
  const isBehind = before !== undefined && newest.groups < before.groups;
  if (newest.complete && !(isLive && isBehind)) return null;
  const groups = newest.groups.toLocaleString("en-US");
  if (isBehind) return `step ${newest.step} filling · ${groups} of ${before.groups.toLocaleString("en-US")} groups`;
  return `step ${newest.step} filling · ${groups} ${newest.groups === 1 ? "group" : "groups"}`;
}

/** The filter that picks one group of a list, on top of what the user filters by. */
export function groupFilter(where: string, group: number | string | null): string {
  const test = group === null ? "group is missing" : `group = ${typeof group === "number" ? group : quoted(group)}`;
  return where ? `(${where}) and ${test}` : test;
}
