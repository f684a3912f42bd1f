import { describe, expect, it } from "vitest";
import { compareConfigs, configRows, searchConfig, unfoldedRows } from "./configTree";

const config = {
  learning_rate: 4e-5,
  dataset: { name: "math", group_size: 8, splits: ["train", "test"] },
  resume: null,
  seed: "7",
};

describe("configRows", () => {
  it("lists every value with the path that leads to it", () => {
    expect(configRows(config).map(({ path, depth, value }) => [path, depth, value])).toEqual([
      ["learning_rate", 0, "0.00004"],
      ["dataset", 0, "{3}"],
      ["dataset.name", 1, "math"],
      ["dataset.group_size", 1, "8"],
      ["dataset.splits", 1, "[2]"],
      ["dataset.splits[0]", 2, "train"],
      ["dataset.splits[1]", 2, "test"],
      ["resume", 0, "null"],
      ["seed", 0, '"7"'],
    ]);
  });

  it("tells text that looks like a number from a number, and shows what is empty", () => {
    const rows = configRows({ a: "1e5", b: "", c: {}, d: [], e: "true" });
    expect(rows.map((row) => row.value)).toEqual(['"1e5"', '""', "{}", "[]", '"true"']);
  });

  it("is empty without a config, and survives one nested a thousand deep", () => {
    expect(configRows(null)).toEqual([]);
    expect(configRows("just text")).toEqual([]);
    let deep: unknown = 1;
    for (let i = 0; i < 1000; i++) deep = { a: deep };
    const rows = configRows(deep);
    expect(rows.length).toBeLessThan(30);
    expect(rows.at(-1)?.value).toContain('{"a":');
  });
});

describe("searchConfig", () => {
  it("finds by key and by value, with the branches above", () => {
    expect(searchConfig(configRows(config), "group_size").map((row) => row.path)).toEqual([
      "dataset",
      "dataset.group_size",
    ]);
    expect(searchConfig(configRows(config), "TEST").map((row) => row.path)).toEqual([
      "dataset",
      "dataset.splits",
      "dataset.splits[1]",
    ]);
  });

  it("brings what is inside a branch that matches", () => {
    expect(searchConfig(configRows(config), "splits")).toHaveLength(4);
    expect(searchConfig(configRows(config), "nothing")).toEqual([]);
  });
});

describe("unfoldedRows", () => {
  it("hides what lies inside a folded branch, and only that", () => {
    const shown = unfoldedRows(configRows(config), new Set(["dataset"]));
    expect(shown.map((row) => row.path)).toEqual(["learning_rate", "dataset", "resume", "seed"]);
  });
});

const configured = (config: unknown, config_identity: string[] = []) => ({ config, config_identity });

describe("compareConfigs", () => {
  it("lists only what differs, and what one of them lacks", () => {
    const other = {
      learning_rate: 5e-7,
      dataset: { name: "math", group_size: 8, splits: ["train"] },
      seed: 7,
      extra: {},
    };
    expect(compareConfigs(configured(config), configured(other)).differences).toEqual([
      { path: "learning_rate", here: "0.00004", there: "5e-7" },
      { path: "dataset.splits[1]", here: "test", there: null },
      { path: "resume", here: "null", there: null },
      { path: "seed", here: '"7"', there: "7" },
      { path: "extra", here: null, there: "{}" },
    ]);
    expect(compareConfigs(configured(config), configured(structuredClone(config))).differences).toEqual([]);
  });

  it("does not count what only says which run it is", () => {
    const run = (id: string) => configured({ seed: 7, own: { id, version: 1 } }, ["own.id", "own.ended"]);
    expect(compareConfigs(run("a"), run("b"))).toEqual({ differences: [], keys: 2, left: ["own.id"] });
  });
});
