// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { fitted, readSetting, setting, writeSetting } from "./settings";

describe("a remembered setting", () => {
  beforeEach(() => window.localStorage.clear());

  it("is its default until it is set, and then what was set", () => {
    const width = setting("test-width", 300);
    expect(readSetting(width)).toBe(300);
    writeSetting(width, 420);
    expect(readSetting(width)).toBe(420);
    expect(window.localStorage.getItem("rollscope.test-width")).toBe("420");
  });

  it("falls back when storage holds something else", () => {
    window.localStorage.setItem("rollscope.test-odd", "{not json");
    expect(readSetting(setting("test-odd", "fine"))).toBe("fine");
  });

  it("keeps defaults for what an older version did not know", () => {
    expect(fitted({ think: false }, { think: true, code: true })).toEqual({ think: false, code: true });
    expect(fitted("text", { think: true })).toEqual({ think: true });
    expect(fitted({ length: 2 }, ["a"])).toEqual(["a"]);
    expect(fitted(7, "seven")).toBe("seven");
  });
});
