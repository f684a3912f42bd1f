import { describe, expect, it } from "vitest";
import type { RunInfo } from "../../api/types";
import { DEFAULT_VIEW } from "../../state/url";
import { openAddress, openSample } from "./openSample";

const split = (name: string) => ({ split: name, steps: 1, first_step: 0, last_step: 0, samples: 4, discarded: 0 });
const run = { splits: [split("train"), split("eval/aime")] } as unknown as RunInfo;

describe("opening a sample", () => {
  it("leads to the page on which its split is read", () => {
    expect(openSample("train/12/3")).toEqual({ page: "rollouts", split: "train", step: 12, sample: 3 });
    expect(openSample("eval/aime/0/1", { find: "x" })).toEqual({
      page: "evals",
      split: "eval/aime",
      step: 0,
      sample: 1,
      find: "x",
    });
    expect(openSample("nowhere")).toBeNull();
  });

  it("and the open one has its address back", () => {
    expect(openAddress(run, { ...DEFAULT_VIEW, split: "eval/aime", step: 0, sample: 1 })).toBe("eval/aime/0/1");
    expect(openAddress(run, { ...DEFAULT_VIEW, split: "unheard", step: 2, sample: 1 })).toBe("train/2/1");
    expect(openAddress(run, { ...DEFAULT_VIEW, sample: null })).toBe("");
  });
});
