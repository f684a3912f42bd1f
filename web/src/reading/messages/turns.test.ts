import { describe, expect, it } from "vitest";
import type { Sample } from "../../api/types";
import { nextTop, silentTurns, turnAt, turnColumns } from "./turns";

describe("j and k", () => {
  const tops = [0, 200, 700];

  it("go to the next and the previous turn", () => {
    expect(nextTop(tops, 0, 1)).toBe(200);
    expect(nextTop(tops, 201, 1)).toBe(700);
    expect(nextTop(tops, 700, -1)).toBe(200);
    expect(nextTop(tops, 450, -1)).toBe(200);
  });

  it("know the turn being read", () => {
    const starts = tops.map((top, turn) => ({ turn, top: top + 100 }));
    expect([0, 100, 290, 300, 5000].map((scroll) => turnAt(starts, scroll))).toEqual([null, 0, 0, 1, 2]);
  });

  it("stop at the ends", () => {
    expect(nextTop(tops, 700, 1)).toBeNull();
    expect(nextTop(tops, 0, -1)).toBeNull();
  });
});

describe("turns without words", () => {
  const sample = {
    messages: [{ role: "assistant", turn: 0 }],
    turns: [{ index: 0 }, { index: 1, metrics: { ok: 1 } }, { index: 2, metrics: { ok: 0 }, logs: { note: "x" } }],
  } as unknown as Sample;

  it("are those no message speaks for", () => {
    expect(silentTurns(sample).map(({ index }) => index)).toEqual([1, 2]);
  });

  it("have a column for everything one of them has", () => {
    expect(turnColumns(silentTurns(sample))).toEqual(["ok", "note"]);
  });
});
