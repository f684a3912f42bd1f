import { describe, expect, it } from "vitest";
import type { RunInfo, SplitInfo, StepRow } from "../api/types";
import {
  chooseRun,
  chooseSplit,
  chooseStep,
  DISCARDED,
  EVALS,
  fillingText,
  groupFilter,
  primaryField,
  ROLLOUTS,
  stepsOf,
} from "./selection";

const split = (name: string, samples = 1, discarded = 0): SplitInfo => ({
  split: name,
  steps: 1,
  first_step: 0,
  last_step: 0,
  samples,
  discarded,
});
const row = (step: number, patch: Partial<StepRow> = {}): StepRow => ({
  step,
  samples: 8,
  groups: 2,
  discarded: 0,
  reward: { count: 8, mean: 0.5, std: 0, min: 0, max: 1 },
  bytes: 1,
  skipped_lines: 0,
  repaired_lines: 0,
  discard_reasons: {},
  pass_at: {},
  complete: true,
  ...patch,
});

describe("the run that opens", () => {
  const run = (id: string, modified: number | null, state: RunInfo["state"] = "finished"): RunInfo =>
    ({ id, name: `runs/${id}`, modified, state }) as RunInfo;

  it("is the one that was written to last, if the address names none", () => {
    const runs = [run("old", 1), run("new", 3), run("broken", 9, "unreadable"), run("unknown", null)];
    expect(chooseRun(runs, null)?.id).toBe("new");
    expect(chooseRun(runs, "old")?.id).toBe("old");
    expect(chooseRun(runs, "runs/old")?.id).toBe("old");
    expect(chooseRun(runs, "gone")).toBeNull();
  });
});

describe("what each page shows", () => {
  const splits = [split("train", 10, 3), split("eval/aime24"), split("eval")];

  it("Evals only eval sets, Discarded only what has discarded samples", () => {
    expect(EVALS.splits(splits).map((s) => s.split)).toEqual(["eval/aime24", "eval"]);
    expect(DISCARDED.splits(splits).map((s) => s.split)).toEqual(["train"]);
    expect(ROLLOUTS.splits(splits)).toHaveLength(3);
  });

  it("the split asked for, else the first that holds anything", () => {
    expect(chooseSplit(splits, "eval")).toBe("eval");
    expect(chooseSplit(splits, "eval/gone")).toBe("train");
    expect(chooseSplit([split("train", 0), split("eval", 4)], null)).toBe("eval");
    expect(chooseSplit([], null)).toBeNull();
  });

  it("steps that hold something for it", () => {
    const steps = [row(0), row(1, { samples: 0, discarded: 2 }), row(2, { samples: 0, complete: false })];
    expect(stepsOf(ROLLOUTS, steps).map((s) => s.step)).toEqual([0, 2]);
    expect(stepsOf(DISCARDED, steps).map((s) => s.step)).toEqual([1]);
  });

  it("the newest step unless another is asked for; a missing one is said to be missing", () => {
    const steps = [row(0), row(5), row(9, { samples: 0, complete: false })];
    expect(chooseStep(steps, null)).toBe(5);
    expect(chooseStep(steps, "latest")).toBe(5);
    expect(chooseStep(steps, 0)).toBe(0);
    expect(chooseStep(steps, 4)).toBeNull();
    // Step 4 is one of the run's, with nothing for this page.
    expect(chooseStep(steps, 4, [...steps, row(4)])).toBe(5);
  });
});

describe("the outcome of a sample", () => {
  const fields = ["reward", "metrics.length", "metrics.correct"];

  it("is its reward where there is one", () => {
    expect(primaryField(row(0), fields)).toBe("reward");
  });

  it("is a metric where the step has no rewards", () => {
    const unrewarded = row(0, { reward: { count: 0, mean: null, std: null, min: null, max: null } });
    expect(primaryField(unrewarded, fields)).toBe("metrics.correct");
    expect(primaryField(unrewarded, ["metrics.a", "metrics.b"])).toBe("metrics.a");
    expect(primaryField(unrewarded, [])).toBe("reward");
  });
});

describe("a step that is being written", () => {
  it("is compared with the one before", () => {
    expect(fillingText([row(311, { groups: 64 }), row(312, { groups: 41, complete: false })], true)).toBe(
      "step 312 filling · 41 of 64 groups",
    );
  });

  it("fills while a live run has not given it as many groups as the last", () => {
    const steps = [row(0, { groups: 3 }), row(1, { groups: 1 })];
    expect(fillingText(steps, true)).toBe("step 1 filling · 1 of 3 groups");
    expect(fillingText(steps, false)).toBeNull();
  });

  it("is said even when it is the first, and not when it is done", () => {
    expect(fillingText([row(0, { groups: 1, complete: false })], true)).toBe("step 0 filling · 1 group");
    expect(fillingText([row(0), row(1)], true)).toBeNull();
    expect(fillingText([], true)).toBeNull();
  });
});

describe("the filter of a group", () => {
  it("joins what the user filters by", () => {
    expect(groupFilter("", 12)).toBe("group = 12");
    expect(groupFilter("reward < 1 or reward > 2", 'a"b')).toBe('(reward < 1 or reward > 2) and group = "a\\"b"');
    expect(groupFilter("", null)).toBe("group is missing");
  });
});
