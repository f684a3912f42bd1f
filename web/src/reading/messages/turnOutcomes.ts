/** The turns of a long rollout at a glance: what each earned, and where something went wrong. */

import type { Message, Sample, Turn } from "../../api/types";

export interface TurnOutcome {
  /** 0-based, as the source counts. */
  turn: number;
  reward: number | null;
  /** Why the turn counts as failing, in words; null when nothing says so. */
  failure: string | null;
}

/** Beginnings of what tools and interpreters say when a call went wrong. Only the text says so: it is a guess. */
const ERROR =
  /^\s*(?:<[^>]*>\s*)?(?:\{?\s*"?(?:error|exception)\b|traceback \(most recent|\w*(?:error|exception)\s*[:(]|command failed|exit (?:code|status):? *[1-9])/i;

/** Every turn that has words, in order. A sample of one turn is no sequence. */
export function turnOutcomes({ messages, turns }: Pick<Sample, "messages" | "turns">): TurnOutcome[] {
  const numbers = [...new Set(messages.flatMap(({ turn }) => (turn == null ? [] : [turn])))].sort((a, b) => a - b);
  const byIndex = new Map(turns.map((turn) => [turn.index, turn]));
  return numbers.map((number) => {
    const turn = byIndex.get(number) ?? null;
    const said = messages.filter((message) => message.turn === number && message.role !== "assistant");
    return { turn: number, reward: turn?.reward ?? null, failure: failureOf(turn, said) };
  });
}

/** A count of errors, or a "went well" that says no. */
function isFailure([name, value]: [string, number | null]): boolean {
  return /error|fail/i.test(name) ? (value ?? 0) > 0 : /(^|_)(ok|success)$/i.test(name) && value === 0;
}

function failureOf(turn: Turn | null, answers: readonly Message[]): string | null {
  const counted = Object.entries(turn?.metrics ?? {}).find(isFailure);
  if (counted) return `${counted[0]} ${counted[1]}`;
  const logged = Object.entries(turn?.logs ?? {}).find(([name, value]) => /error|exception/i.test(name) && value);
  if (logged) return String(logged[0]);
  const told = answers.find(({ parts }) =>
    ERROR.test(
      (parts ?? [])
        .map(({ text }) => text ?? "")
        .join("")
        .slice(0, 200),
    ),
  );
  if (told) return "its text begins like an error";
  return turn?.reward != null && turn.reward < 0 ? `reward ${turn.reward}` : null;
}

/** The next failing turn after (or before) this one; round the end to the first. */
export function nextFailing(outcomes: readonly TurnOutcome[], at: number | null): number | null {
  const failing = outcomes.filter(({ failure }) => failure !== null).map(({ turn }) => turn);
  return failing.find((turn) => turn > (at ?? -1)) ?? failing[0] ?? null;
}
