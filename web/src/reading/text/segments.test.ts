import { describe, expect, it } from "vitest";
import { OVERLAP_CHARS, SEGMENT_CHARS, segmentCount, segmentRequest, shownSegment } from "./segments";

/** What a reader sees who scrolls through all segments, answered by a server that counts in code points. */
function readAll(text: string): string[] {
  const points = [...text];
  return Array.from({ length: segmentCount(points.length) }, (_, index) => {
    const { start, end } = segmentRequest(index, points.length);
    const { text: shown, from } = shownSegment(points.slice(start, end).join(""), index, points.length);
    expect(points.slice(from, from + [...shown].length).join("")).toBe(shown);
    return shown;
  });
}

describe("a long text in segments", () => {
  const lines = Array.from({ length: 4000 }, (_, line) => `line ${line} ${"x".repeat(line % 40)}`).join("\n");

  it("loses and repeats nothing", () => {
    expect(readAll(lines).join("")).toBe(lines);
  });

  it("tears no line", () => {
    const parts = readAll(lines);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts.slice(0, -1)) expect(part.endsWith("\n")).toBe(true);
  });

  it("cuts a line that has no end", () => {
    const text = "y".repeat(SEGMENT_CHARS * 2 + 5);
    expect(readAll(text).join("")).toBe(text);
  });

  it("counts as the server does when characters take two units", () => {
    const text = "😀 wide\n".repeat(9000);
    expect(readAll(text).join("")).toBe(text);
  });

  it("asks for a little more than it shows, never beyond the end", () => {
    expect(segmentRequest(0, 1_000_000)).toEqual({ start: 0, end: SEGMENT_CHARS + OVERLAP_CHARS });
    expect(segmentRequest(1, SEGMENT_CHARS + 10)).toEqual({ start: SEGMENT_CHARS, end: SEGMENT_CHARS + 10 });
  });
});
