import { describe, expect, it } from "vitest";
import type { RunDetails } from "../../api/types";
import { presets } from "./presets";

const details = (min: number | null, max: number | null, envs: string[] = []) =>
  ({
    envs,
    ranges: { "*": { reward: { min, max } }, orders: { reward: { min: 0, max: 2 } } },
  }) as unknown as RunDetails;
const named = (name: string, all: ReturnType<typeof presets>) => all.find((preset) => preset.name === name);

describe("presets", () => {
  it("take the upper and lower tenth of the declared range", () => {
    const found = presets({ details: details(0, 1), rewards: [0.2, 0.4], discarded: 0, steps: 2 });
    expect(named("paid", found)).toMatchObject({ a: "reward >= 0.9", b: "reward <= 0.1", missing: null });
  });

  it("take what was seen where nothing is declared", () => {
    const found = presets({ details: undefined, rewards: [-1, 1], discarded: 0, steps: 2 });
    expect(named("paid", found)).toMatchObject({ a: "reward >= 0.8", b: "reward <= -0.8" });
  });

  it("compare within each environment of several", () => {
    const found = presets({ details: details(0, 1, ["math", "orders"]), rewards: null, discarded: 0, steps: 2 });
    expect(named("paid", found)).toBeUndefined();
    expect(named("paid:math", found)).toMatchObject({ a: 'env = "math" and reward >= 0.9' });
    expect(named("paid:orders", found)).toMatchObject({ b: 'env = "orders" and reward <= 0.2' });
  });

  it("say why one cannot be asked", () => {
    const found = presets({ details: undefined, rewards: [1, 1], discarded: 0, steps: 2 });
    expect(named("paid", found)?.missing).toContain("the same");
    expect(named("kept", found)?.missing).toContain("discarded");
    expect(named("changes", found)?.missing).toBeNull();
    const single = presets({ details: undefined, rewards: null, discarded: 3, steps: 1 });
    expect(named("kept", single)?.missing).toBeNull();
    expect(named("changes", single)?.missing).toContain("only one step");
  });
});
