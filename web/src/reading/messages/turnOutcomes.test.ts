import { describe, expect, it } from "vitest";
import type { Message, Turn } from "../../api/types";
import { nextFailing, turnOutcomes } from "./turnOutcomes";

const says = (turn: number | null, role: string, text: string): Message =>
  ({ role, turn, parts: [{ text }] }) as Message;
const numbers = (index: number, rest: object = {}): Turn => ({ index, ...rest }) as Turn;

describe("turnOutcomes", () => {
  const messages = [
    says(null, "user", "Error: this is the prompt and no turn"),
    says(0, "assistant", "Error handling is what I do first."),
    says(0, "tool", "42"),
    says(1, "assistant", "again"),
    says(1, "tool", "Traceback (most recent call last):\n  …"),
    says(2, "assistant", "and again"),
    says(2, "tool", '{"error": "no such file"}'),
    says(3, "assistant", "done"),
  ];

  it("has each turn once, with its reward", () => {
    const found = turnOutcomes({ messages, turns: [numbers(0, { reward: 0.5 }), numbers(3, { reward: -1 })] });
    expect(found.map(({ turn, reward }) => [turn, reward])).toEqual([
      [0, 0.5],
      [1, null],
      [2, null],
      [3, -1],
    ]);
  });

  it("calls a turn failing by what its tools said, its numbers, its reward; not by the model's words", () => {
    const turns = [numbers(0), numbers(3, { reward: -1 })];
    const failing = turnOutcomes({ messages, turns }).filter(({ failure }) => failure !== null);
    expect(failing.map(({ turn }) => turn)).toEqual([1, 2, 3]);
    const [first] = turnOutcomes({ messages, turns: [numbers(0, { metrics: { tool_errors: 2 } })] });
    expect(first?.failure).toBe("tool_errors 2");
    const [second] = turnOutcomes({ messages, turns: [numbers(0, { metrics: { tool_ok: 0, parsed: 0 } })] });
    expect(second?.failure).toBe("tool_ok 0");
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
