import { describe, expect, it } from "vitest";
import type { Message, Turn } from "../../api/types";
import { nextFailing, turnOutcomes } from "./turnOutcomes";

const says = (turn: number | null, role: string): Message => ({ role, turn, parts: [] }) as unknown as Message;
const numbers = (index: number, rest: object = {}): Turn => ({ index, ...rest }) as Turn;

describe("turnOutcomes", () => {
  it("has each turn once, with its reward and what the server says went wrong", () => {
    const messages = [says(null, "user"), says(0, "assistant"), says(0, "tool"), says(1, "assistant"), says(3, "tool")];
    const turns = [numbers(0, { reward: 0.5 }), numbers(3, { reward: -1 })];
    expect(turnOutcomes({ messages, turns, failing_turns: { 3: "reward -1" } })).toEqual([
      { turn: 0, reward: 0.5, failure: null },
      { turn: 1, reward: null, failure: null },
      { turn: 3, reward: -1, failure: "reward -1" },
    ]);
  });
});

describe("nextFailing", () => {
  const outcomes = [0, 1, 2, 3].map((turn) => ({ turn, reward: null, failure: turn % 2 ? "x" : null }));

  it("goes on from here, and round", () => {
    expect(nextFailing(outcomes, null)).toBe(1);
    expect(nextFailing(outcomes, 1)).toBe(3);
    expect(nextFailing(outcomes, 3)).toBe(1);
    expect(nextFailing([], 1)).toBeNull();
  });
});
