import { describe, expect, it } from "vitest";
import { nextTop } from "./turns";

describe("j and k", () => {
  const tops = [0, 200, 700];

  it("go to the next and the previous message", () => {
    expect(nextTop(tops, 0, 1)).toBe(200);
    expect(nextTop(tops, 201, 1)).toBe(700);
    expect(nextTop(tops, 700, -1)).toBe(200);
    expect(nextTop(tops, 450, -1)).toBe(200);
  });

  it("stop at the ends", () => {
    expect(nextTop(tops, 700, 1)).toBeNull();
    expect(nextTop(tops, 0, -1)).toBeNull();
  });
});
