import { describe, expect, it } from "vitest";
import { ansiPieces, hasAnsi } from "./ansi";

const ESC = "\u001b";

describe("terminal colours", () => {
  it("become styled stretches, and the sequences go", () => {
    const pieces = ansiPieces(`${ESC}[1;31mFAILED${ESC}[0m test ${ESC}[92mok${ESC}[39m`);
    expect(pieces).toEqual([
      { text: "FAILED", colour: 1, bold: true, faint: false },
      { text: " test ", colour: null, bold: false, faint: false },
      { text: "ok", colour: 2, bold: false, faint: false },
    ]);
  });

  it("skip what a longer code says of shades and backgrounds", () => {
    expect(
      ansiPieces(`${ESC}[48;5;200;1mx${ESC}[38;2;1;31;3my`).map(({ text, colour, bold }) => [text, colour, bold]),
    ).toEqual([
      ["x", null, true],
      ["y", null, true],
    ]);
  });

  it("leave every other sequence to be seen", () => {
    const moved = `${ESC}[2Jx${ESC}]0;title`;
    expect(hasAnsi(moved)).toBe(false);
    expect(
      ansiPieces(moved)
        .map(({ text }) => text)
        .join(""),
    ).toBe(moved);
  });

  it("lose no text", () => {
    const text = `a${ESC}[31m<img src=x>${ESC}[m`;
    expect(
      ansiPieces(text)
        .map((piece) => piece.text)
        .join(""),
    ).toBe("a<img src=x>");
  });
});
