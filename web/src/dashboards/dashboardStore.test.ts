import { describe, expect, it } from "vitest";
import { nameProblem } from "./dashboardStore";

describe("a dashboard's name", () => {
  it("may be what people type", () => {
    for (const name of ["Health", "ühr 2 · ☂", " padded "]) expect(nameProblem(name, ["Other"])).toBeNull();
  });

  it("is not empty, not endless, not taken, and has no slash", () => {
    expect(nameProblem("  ", [])).toMatch(/needs a name/);
    expect(nameProblem("x".repeat(101), [])).toMatch(/100/);
    expect(nameProblem("a/b", [])).toMatch(/slashes/);
    expect(nameProblem("a\u0007b", [])).toMatch(/invisible/);
    expect(nameProblem(" Health ", ["Health"])).toMatch(/of that name/);
  });
});
