/** Names and numbers of messages, as a reader meets them. */

import type { Message, Sample, Turn } from "../../api/types";
import { plural } from "../../lib/numbers";

const ROLES: Record<string, string> = {
  system: "System",
  developer: "Developer",
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
  environment: "Environment",
  prompt: "Prompt",
  response: "Response",
};

/** "Assistant · turn 1", "Tool · calculator", "User". */
export function messageTitle({ role, name, turn, parts }: Message): string {
  const word = ROLES[role] ?? role;
  if (role === "assistant" && turn != null) return `${word} · turn ${turn + 1}`;
  const tool = name ?? (role === "tool" ? parts?.find((part) => part.name)?.name : null);
  return tool ? `${word} · ${tool}` : word;
}

/** The numbers of the turn a message belongs to, and whether it is the message that shows them. */
export function turnFacts(sample: Sample, index: number): { turn: Turn | null; isFirstOfTurn: boolean } {
  const number = sample.messages[index]?.turn;
  if (number == null) return { turn: null, isFirstOfTurn: false };
  const turn = sample.turns.find((each) => each.index === number) ?? null;
  const first = sample.messages.findIndex((message) => message.turn === number);
  return { turn, isFirstOfTurn: first === index };
}

/** How many tokens a message has: its own count, else its turn's, else the prompt's at the end of the prompt. */
export function tokensText(sample: Sample, index: number): string | null {
  const message = sample.messages[index];
  if (message?.tokens != null) return plural(message.tokens, "token");
  const { turn, isFirstOfTurn } = turnFacts(sample, index);
  if (isFirstOfTurn && message?.role === "assistant" && turn?.completion_tokens != null) {
    return plural(turn.completion_tokens, "token");
  }
  const isPromptEnd = index === promptEnd(sample.messages) - 1;
  return isPromptEnd && sample.prompt_tokens !== null ? `prompt ${plural(sample.prompt_tokens, "token")}` : null;
}

/** Messages before the first turn are the prompt. */
export function promptEnd(messages: readonly Message[]): number {
  const first = messages.findIndex((message) => message.turn != null || message.role === "assistant");
  return first < 0 ? messages.length : first;
}
