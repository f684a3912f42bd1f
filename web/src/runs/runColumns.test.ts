import { describe, expect, it } from "vitest";
import type { RunInfo } from "../api/types";
import { configColumn, RUN_COLUMNS, sortRuns } from "./runColumns";
import { configKeys } from "./useRunConfigs";

const run = (id: string, patch: Partial<RunInfo> = {}): RunInfo =>
  ({ id, name: id, splits: [], state: "finished", reward: null, started: null, ...patch }) as unknown as RunInfo;
const reward = (last: number, best: number) => ({ last, last_step: 9, best, best_step: 4 });

describe("the table of runs", () => {
  it("sorts by a column, runs without a value last either way", () => {
    const runs = [run("a", { reward: reward(0.5, 0.6) }), run("b"), run("c", { reward: reward(0.2, 0.9) })];
    const names = (sort: string) => sortRuns(runs, RUN_COLUMNS, sort).map(({ id }) => id);
    expect(names("last")).toEqual(["c", "a", "b"]);
    expect(names("-last")).toEqual(["a", "c", "b"]);
    expect(names("-best")).toEqual(["c", "a", "b"]);
    expect(names("nothing")).toEqual(["a", "b", "c"]);
  });

  it("has a column for any key of the configs, numbers as numbers", () => {
    const configs = { a: { optim: { lr: 1e-6 } }, b: { optim: { lr: 9e-7 } }, c: {} };
    const column = configColumn("optim.lr", configs);
    expect(sortRuns([run("a"), run("b"), run("c")], [column], "config:optim.lr").map(({ id }) => id)).toEqual([
      "b",
      "a",
      "c",
    ]);
    expect(column.text(run("c"))).toBe("–");
  });

  it("offers the keys that differ first", () => {
    expect(configKeys({ a: { model: "x", lr: 1 }, b: { model: "x", lr: 2 } })).toEqual(["lr", "model"]);
  });
});
