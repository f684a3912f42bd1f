/** The turns of a long rollout at a glance: what each earned, and where something went wrong. */

import type { Sample } from "../../api/types";

export interface TurnOutcome {
  /** 0-based, as the source counts. */
  turn: number;
  reward: number | null;
  /** Why the turn counts as failing, in words; null when nothing says so. */
  failure: string | null;
}

/** Every turn that has words, in order. A sample of one turn is no sequence. */
export function turnOutcomes({
  messages,
  turns,
  failing_turns: failing,
}: Pick<Sample, "messages" | "turns" | "failing_turns">): TurnOutcome[] {
  const numbers = [...new Set(messages.flatMap(({ turn }) => (turn == null ? [] : [turn])))].sort((a, b) => a - b);
  const rewards = new Map(turns.map(({ index, reward }) => [index, reward ?? null]));
  return numbers.map((turn) => ({ turn, reward: rewards.get(turn) ?? null, failure: failing[turn] ?? null }));
}

/** The next failing turn after (or before) this one; round the end to the first. */
export function nextFailing(outcomes: readonly TurnOutcome[], at: number | null): number | null {
  const failing = outcomes.filter(({ failure }) => failure !== null).map(({ turn }) => turn);
  return failing.find((turn) => turn > (at ?? -1)) ?? failing[0] ?? null;
}
