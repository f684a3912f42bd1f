/** Why samples were thrown away, and what else is worth a badge on a group. */

import type { GroupRow, StepRow } from "../../api/types";

/** `zero_advantage` → "zero advantage"; anything else as it was logged. */
export function reasonText(reason: string): string {
  return reason.replaceAll(/[_-]+/g, " ").trim() || reason;
}

/** Each reason once, in the order of first appearance; on a kept training group, that its rewards are all the same (it
 * teaches nothing; in an eval set that means nothing). */
export function badgesOf({ discard_reasons, reward_spread }: GroupRow, isTraining: boolean): string[] {
  const reasons = [...new Set(discard_reasons.flatMap((reason) => (reason ? [reasonText(reason)] : [])))];
  if (reasons.length > 0) return reasons;
  return isTraining && reward_spread === 0 ? ["zero variance"] : [];
}

interface ReasonCount {
  reason: string;
  count: number;
  /** Of all samples generated: kept and discarded. */
  percent: number;
}

/** Discarded samples per reason over some steps, most frequent first. */
export function reasonCounts(steps: readonly StepRow[]): ReasonCount[] {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { samples, discarded, discard_reasons } of steps) {
    all += samples + discarded;
    for (const [reason, count] of Object.entries(discard_reasons))
      counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts]
    .map(([reason, count]) => ({ reason, count, percent: all ? (100 * count) / all : 0 }))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

/** The step nearest to this one in which samples were thrown away for that reason; null when there is none. */
export function stepWithReason(steps: readonly StepRow[], reason: string, from: number | null): number | null {
  let best: number | null = null;
  for (const { step, discard_reasons } of steps) {
    if (!discard_reasons[reason]) continue;
    if (from === null || best === null || Math.abs(step - from) < Math.abs(best - from)) best = step;
  }
  return best;
}
