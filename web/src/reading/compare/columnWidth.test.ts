import { describe, expect, it } from "vitest";
import { columnWidth } from "./columnWidth";

describe("completions side by side", () => {
  it("share the width when all fit", () => {
    expect(columnWidth(1000, 2)).toBe(500);
    expect(columnWidth(1200, 4)).toBe(300);
  });

  it("show the beginning of the next one when they do not", () => {
    const width = columnWidth(1000, 8);
    expect(1000 % width).toBeGreaterThan(60);
    expect(width).toBeGreaterThanOrEqual(300);
  });

  it("stay readable in a narrow window", () => {
    expect(columnWidth(280, 4)).toBe(300);
  });
});
