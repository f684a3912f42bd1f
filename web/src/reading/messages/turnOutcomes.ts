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

/** What one place of the strip stands for: a turn, or several where there are more turns than places. */
export interface StripCell {
  /** 0-based place among the turns, from–to, both included. */
  first: number;
  last: number;
  /** Where a click leads: the first of them that fails, else the first. */
  turn: number;
  /** The worst of them. */
  reward: number | null;
  failures: readonly string[];
}

/** A thousand turns are no wider than a hundred: neighbours share a cell, which shows the worst of them. */
export function stripCells(outcomes: readonly TurnOutcome[], most = 120): StripCell[] {
  const each = Math.ceil(outcomes.length / most);
  const cells: StripCell[] = [];
  for (let first = 0; first < outcomes.length; first += each) {
    const some = outcomes.slice(first, first + each);
    const rewards = some.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    cells.push({
      first,
      last: first + some.length - 1,
      turn: (some.find(({ failure }) => failure !== null) ?? (some[0] as TurnOutcome)).turn,
      reward: rewards.length > 0 ? Math.min(...rewards) : null,
      failures: some.flatMap(({ failure }) => (failure === null ? [] : [failure])),
    });
  }
  return cells;
}

/** The next failing turn after (or before) this one; round the end to the first, and back. */
export function nextFailing(outcomes: readonly TurnOutcome[], at: number | null, by: 1 | -1 = 1): number | null {
  const failing = outcomes.filter(({ failure }) => failure !== null).map(({ turn }) => turn);
  const here = at ?? -1;
  const found = by === 1 ? failing.find((turn) => turn > here) : failing.findLast((turn) => turn < here);
  return found ?? failing.at(by === 1 ? 0 : -1) ?? null;
}

/** What stands in a list of turns: the tools that were called, else how its text begins; and the last line of what
 * answered it, where errors say what they are. */
interface TurnWords {
  does: string;
  answer: string;
}

const MOST_LETTERS = 200;

export function turnWords({ messages }: Pick<Sample, "messages">): ReadonlyMap<number, TurnWords> {
  const found = new Map<number, TurnWords>();
  const calls = new Map<number, Set<string>>();
  for (const { turn, role, parts = [] } of messages) {
    if (turn == null) continue;
    const words = found.get(turn) ?? { does: "", answer: "" };
    found.set(turn, words);
    if (role !== "assistant") {
      words.answer ||= lastLine(parts.at(-1)?.text ?? "");
      continue;
    }
    const names = calls.get(turn) ?? new Set();
    calls.set(turn, names);
    for (const { type, name } of parts) if (type === "tool_call" && name) names.add(name);
    const said = parts.find(({ type = "text", text = "" }) => (type === "text" || type === "answer") && text.trim());
    words.does = names.size > 0 ? [...names].join(", ") : words.does || firstLine(said?.text ?? "");
  }
  return found;
}

const firstLine = (text: string): string => text.slice(0, MOST_LETTERS).trim().split("\n", 1)[0] ?? "";
const lastLine = (text: string): string => text.slice(-MOST_LETTERS).trim().split("\n").at(-1)?.trim() ?? "";
