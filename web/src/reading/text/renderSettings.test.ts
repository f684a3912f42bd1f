// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { countOn, renderSetting, SWITCHES } from "./renderSettings";

describe("the Render menu", () => {
  it("has a switch for every setting", () => {
    expect(SWITCHES.map(({ key }) => key).sort()).toEqual(Object.keys(renderSetting.standard).sort());
  });

  it("says how many are on", () => {
    const all = { think: true, markdown: true, latex: true, code: true, json: true, ansi: true };
    expect(countOn(all)).toBe(SWITCHES.length);
    expect(countOn({ ...all, json: false, ansi: false })).toBe(SWITCHES.length - 2);
  });
});
