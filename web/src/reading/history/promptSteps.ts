/** Samples of one prompt, gathered by the step that asked it. */

import type { SampleRow } from "../../api/types";

interface HistoryStep {
  step: number;
  /** Of the rewards there are; null when there are none. */
  mean: number | null;
  rows: SampleRow[];
}

export function byStep(rows: readonly SampleRow[]): HistoryStep[] {
  const steps = new Map<number, SampleRow[]>();
  for (const row of rows) {
    const some = steps.get(row.step);
    if (some) some.push(row);
    else steps.set(row.step, [row]);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([step, some]) => ({ step, mean: meanReward(some), rows: some }));
}

function meanReward(rows: readonly SampleRow[]): number | null {
  const rewards = rows.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return rewards.length ? rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length : null;
}
