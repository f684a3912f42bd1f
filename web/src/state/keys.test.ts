import { describe, expect, it } from "vitest";
import page from "../../../docs/web.md?raw";
import { actionFor, KEYS, keyName } from "./keys";

const press = (key: string, held: Partial<Record<"ctrlKey" | "metaKey" | "altKey", boolean>> = {}) =>
  actionFor({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

describe("keys", () => {
  it.each([
    ["n", "next-sample"],
    ["p", "previous-sample"],
    ["ArrowRight", "next-sample"],
    ["ArrowLeft", "previous-sample"],
    ["N", "next-step"],
    ["P", "previous-step"],
    ["j", "next-turn"],
    ["k", "previous-turn"],
    ["[", "previous-group"],
    ["]", "next-group"],
    ["/", "find"],
    ["f", "find"],
    ["?", "help"],
  ])("%s asks for %s", (key, action) => expect(press(key)).toBe(action));

  it("leave the browser's own combinations alone", () => {
    expect(press("n", { ctrlKey: true })).toBeNull();
    expect(press("f", { metaKey: true })).toBeNull();
    expect(press("ArrowLeft", { altKey: true })).toBeNull();
  });

  it("take Ctrl+K and ⌘K for the search over the run", () => {
    expect(press("k", { ctrlKey: true })).toBe("search");
    expect(press("K", { metaKey: true })).toBe("search");
  });

  it("are all documented, and nothing else is", () => {
    const documented = [...page.matchAll(/^\| ((?:`[^`]+` ?)+)\| ([^|]+) \|$/gm)].map(
      ([, names, says]) => `${names?.trim()} ${says}`,
    );
    const known = KEYS.flatMap(({ keys }) =>
      keys.map((key) => `${key.keys.map((name) => `\`${keyName(name)}\``).join(" ")} ${key.says}`),
    );
    expect(documented).toEqual(known);
  });

  it("mean one thing each", () => {
    const names = KEYS.flatMap(({ keys }) => keys.flatMap((key) => key.keys));
    expect(new Set(names).size).toBe(names.length);
  });
});
