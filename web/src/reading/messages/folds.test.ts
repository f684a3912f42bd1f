import { describe, expect, it } from "vitest";
import { isSectionOpen } from "./folds";

const none = { all: null, byKey: new Map<string, boolean>() };

describe("what is folded", () => {
  it("is as it usually is until someone says otherwise", () => {
    expect(isSectionOpen(none, "user", { standard: true })).toBe(true);
    expect(isSectionOpen(none, "system", { standard: false })).toBe(false);
  });

  it("is what one chose, even after all were folded", () => {
    const state = { all: false, byKey: new Map([["user", true]]) };
    expect(isSectionOpen(state, "user", { standard: true })).toBe(true);
    expect(isSectionOpen(state, "system", { standard: true })).toBe(false);
  });

  it("opens for a find, so that what is found is seen", () => {
    const state = { all: false, byKey: new Map([["user", false]]) };
    expect(isSectionOpen(state, "user", { standard: true, force: true })).toBe(true);
  });

  it("leaves apart what is no part of reading", () => {
    const state = { all: true, byKey: new Map<string, boolean>() };
    expect(isSectionOpen(state, "record", { standard: false, apart: true, force: true })).toBe(false);
  });
});
