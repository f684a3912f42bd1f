import { describe, expect, it } from "vitest";
import type { Message, Turn } from "../../api/types";
import { nextFailing, stripCells, turnOutcomes, turnWords } from "./turnOutcomes";

const says = (turn: number | null, role: string): Message => ({ role, turn, parts: [] }) as unknown as Message;
const part = (text: string, rest: object = {}) => ({ text, ...rest });
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

describe("stripCells", () => {
  const outcomes = Array.from({ length: 1001 }, (_, turn) => ({
    turn,
    reward: turn === 500 ? -1 : 0.5,
    failure: turn === 503 ? "boom" : null,
  }));

  it("has a cell for each turn while they fit", () => {
    const cells = stripCells(outcomes.slice(0, 100));
    expect(cells.map(({ turn }) => turn)).toEqual(outcomes.slice(0, 100).map(({ turn }) => turn));
  });

  it("shows the worst of many, leads to what failed, and leaves no turn out", () => {
    const cells = stripCells(outcomes);
    expect(cells.length).toBeLessThanOrEqual(120);
    expect([cells[0]?.first, cells.at(-1)?.last]).toEqual([0, 1000]);
    const worst = cells.find(({ first, last }) => first <= 500 && 500 <= last);
    expect(worst).toMatchObject({ reward: -1, turn: 503, failures: ["boom"] });
  });
});

describe("nextFailing", () => {
  const outcomes = [0, 1, 2, 3].map((turn) => ({ turn, reward: null, failure: turn % 2 ? "x" : null }));

  it("goes on from here, and round", () => {
    expect(nextFailing(outcomes, null)).toBe(1);
    expect(nextFailing(outcomes, 1)).toBe(3);
    expect(nextFailing(outcomes, 3)).toBe(1);
    expect(nextFailing([], 1)).toBeNull();
    expect(nextFailing(outcomes, 3, -1)).toBe(1);
    expect(nextFailing(outcomes, 1, -1)).toBe(3);
  });
});

describe("turnWords", () => {
  it("has what was called, else how the text begins, and how the answer ends", () => {
    const call = part("{}", { type: "tool_call", name: "run_tests" });
    const messages = [
      { ...says(null, "user"), parts: [part("the question")] },
      { ...says(0, "assistant"), parts: [part("hm", { type: "thinking" }), part("I look.\nThen more."), call, call] },
      { ...says(0, "tool"), parts: [part("Traceback\n  boom\nKeyError: 'unit'\n")] },
      { ...says(1, "assistant"), parts: [part("hm", { type: "thinking" }), part(" \nDone.\nReally.")] },
    ] as unknown as Message[];
    expect([...turnWords({ messages })]).toEqual([
      [0, { does: "run_tests", answer: "KeyError: 'unit'" }],
      [1, { does: "Done.", answer: "" }],
    ]);
  });
});
