import { describe, expect, it } from "vitest";
import { clampWidth, keyboardWidth } from "./paneWidth";

describe("the width of a side pane", () => {
  it("stays between readable and half the window", () => {
    expect([clampWidth(10, 1600), clampWidth(500, 1600), clampWidth(5000, 1600)]).toEqual([240, 500, 720]);
  });

  it("grows outward with the arrow that points outward", () => {
    expect(keyboardWidth("ArrowRight", "left", 300, 1600)).toBe(316);
    expect(keyboardWidth("ArrowRight", "right", 300, 1600)).toBe(284);
    expect(keyboardWidth("End", "right", 300, 1600)).toBe(720);
    expect(keyboardWidth("x", "left", 300, 1600)).toBeNull();
  });
});
