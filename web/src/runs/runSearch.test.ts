import { describe, expect, it } from "vitest";
import type { RunInfo } from "../api/types";
import { matchesConfig, matchesName, parseRunSearch } from "./runSearch";

const run = { name: "grpo-math", path: "runs/2026/grpo-math" } as RunInfo;
const config = { optim: { lr: 5e-7, name: "AdamW" }, model: "Qwen/Qwen3-8B", flags: [true] };

describe("searching runs", () => {
  it("looks for every word in name and path", () => {
    expect(matchesName(run, parseRunSearch("MATH 2026"))).toBe(true);
    expect(matchesName(run, parseRunSearch("math code"))).toBe(false);
    expect(matchesName(run, parseRunSearch(""))).toBe(true);
  });

  it("looks into the config: by key, by value, numbers as numbers", () => {
    expect(matchesConfig(config, parseRunSearch("config:lr=5e-7"))).toBe(true);
    expect(matchesConfig(config, parseRunSearch("config:optim.lr=0.0000005"))).toBe(true);
    expect(matchesConfig(config, parseRunSearch("config:lr=1e-6"))).toBe(false);
    expect(matchesConfig(config, parseRunSearch("config:model=qwen/qwen3-8b"))).toBe(true);
    expect(matchesConfig(config, parseRunSearch("config:lr"))).toBe(true);
    expect(matchesConfig(config, parseRunSearch("config:warmup"))).toBe(false);
  });

  it("takes both together", () => {
    expect(parseRunSearch("math config:lr=5e-7 config:seed")).toEqual({
      text: "math",
      config: [
        { key: "lr", value: "5e-7" },
        { key: "seed", value: null },
      ],
    });
  });
});
