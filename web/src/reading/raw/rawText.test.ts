import { describe, expect, it } from "vitest";
import { chunkAt, chunksOf } from "./rawText";

const join = (text: string, size: number): string =>
  chunksOf(text, size)
    .map(({ start, end }) => text.slice(start, end))
    .join("");

describe("a long string in chunks", () => {
  it("is whole when joined, and cut at line breaks", () => {
    const text = "one\ntwo\nthree\n";
    expect(join(text, 6)).toBe(text);
    expect(chunksOf(text, 6).map(({ start, end }) => text.slice(start, end))).toEqual(["one\n", "two\n", "three\n"]);
  });

  it("cuts a line without end, but no character", () => {
    const text = "😀".repeat(10);
    expect(join(text, 5)).toBe(text);
    for (const { start } of chunksOf(text, 5)) expect(start % 2).toBe(0);
  });

  it("has one chunk when it is empty", () => {
    expect(chunksOf("")).toEqual([{ start: 0, end: 0 }]);
  });

  it("knows where a place is", () => {
    const chunks = chunksOf("aa\nbb\ncc\n", 3);
    expect([0, 2, 3, 8].map((place) => chunkAt(chunks, place))).toEqual([0, 0, 1, 2]);
  });
});
