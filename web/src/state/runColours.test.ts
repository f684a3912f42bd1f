// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { assignColours, RUN_COLOURS } from "./runColours";

describe("colours of runs", () => {
  it("are given out in order, the open run first", () => {
    expect([...assignColours(["a", "b"], {}).values()]).toEqual(["--run-1", "--run-2"]);
  });

  it("are the user's where he chose, and nobody else's then", () => {
    const colours = assignColours(["a", "b", "c"], { b: "--run-1" });
    expect(colours.get("b")).toBe("--run-1");
    expect(colours.get("a")).toBe("--run-2");
    expect(colours.get("c")).toBe("--run-3");
  });

  it("suffice for any number of runs", () => {
    const ids = Array.from({ length: 30 }, (_, number) => `run-${number}`);
    const colours = assignColours(ids, {});
    expect(colours.size).toBe(30);
    for (const colour of colours.values()) expect(RUN_COLOURS).toContain(colour);
  });

  it("ignore a choice that is no colour of ours", () => {
    expect(assignColours(["a"], { a: "url(https://evil)" }).get("a")).toBe("--run-1");
  });
});
