import { describe, expect, it } from "vitest";
import {
  type CatalogEntry,
  clockName,
  defaultPlots,
  GENERAL,
  heatSource,
  placeOf,
  plotsOf,
  searchPlots,
  titleOf,
  treeOf,
} from "./catalog";

function entry(name: string, more: Partial<CatalogEntry> = {}): CatalogEntry {
  return { name, ...placeOf(name), origin: "logged", points: 10, constant: false, field: null, split: null, ...more };
}

const reward = ["mean", "std", "min", "max"].map((statistic) =>
  entry(`rollouts/reward/${statistic}`, { origin: "derived", field: "reward", split: "train" }),
);

describe("placeOf", () => {
  it("reads section, group and metric off the slashes", () => {
    expect(placeOf("entropy")).toEqual({ section: GENERAL, group: "", metric: "entropy" });
    expect(placeOf("optim/lr")).toEqual({ section: "optim", group: "", metric: "lr" });
    expect(placeOf("env/all/reward/total")).toEqual({ section: "env", group: "all", metric: "reward/total" });
  });
});

describe("plotsOf", () => {
  it("adds one heat map per spread field", () => {
    const heat = plotsOf([reward]).filter((plot) => plot.kind === "heat");
    expect(heat.map((plot) => plot.name)).toEqual(["rollouts/reward/distribution"]);
    expect(heatSource(reward, "rollouts/reward/distribution")).toEqual({ field: "reward", split: "train" });
    expect(heatSource(reward, "rollouts/advantage/distribution")).toBeNull();
  });

  it("is the union over runs, each metric once", () => {
    const plots = plotsOf([
      [entry("loss", { points: 5 }), entry("kl")],
      [entry("loss", { points: 9 }), entry("entropy")],
    ]);
    expect(plots.map((plot) => plot.name)).toEqual(["loss", "kl", "entropy"]);
    expect(plots[0]?.points).toBe(9);
  });
});

describe("clockName", () => {
  it("is the logged metric with most points", () => {
    expect(clockName([entry("a", { points: 3 }), entry("b", { points: 9 }), entry("c", { points: 9 })])).toBe("b");
    expect(clockName(reward)).toBeNull();
  });
});

describe("treeOf", () => {
  it("puts what is derived first, then sections by name, numbers in order", () => {
    const tree = treeOf(plotsOf([[entry("time/total"), entry("optim/lr"), entry("loss"), ...reward]]));
    expect(tree.map((section) => section.name)).toEqual(["rollouts", GENERAL, "optim", "time"]);
    const layers = treeOf(plotsOf([[entry("a/layer10/x"), entry("a/layer2/x")]]));
    expect(layers[0]?.groups.map((group) => group.name)).toEqual(["layer2", "layer10"]);
  });

  it("puts rewards before costs in what is derived, whatever the alphabet says", () => {
    const fields = ["advantage", "completion_tokens", "metrics.correct", "reward", "something"];
    const tree = treeOf(plotsOf([fields.map((field) => entry(`rollouts/${field}/mean`, { origin: "derived" }))]));
    expect(tree[0]?.groups.map((group) => group.name)).toEqual([
      "reward",
      "metrics.correct",
      "advantage",
      "something",
      "completion_tokens",
    ]);
  });

  it("keeps a field's statistics together in an eval's group, pass@k first", () => {
    const names = ["turns/mean", "reward/std", "pass@10", "reward/mean", "pass@2"];
    const tree = treeOf(plotsOf([names.map((name) => entry(`eval/aime24/${name}`, { origin: "derived" }))]));
    expect(tree[0]?.groups[0]?.plots.map((plot) => plot.name.slice("eval/aime24/".length))).toEqual([
      "pass@2",
      "pass@10",
      "reward/mean",
      "reward/std",
      "turns/mean",
    ]);
  });

  it("orders a field: mean, distribution, then the rest", () => {
    const plots = treeOf(plotsOf([[...reward].reverse()]))[0]?.groups[0]?.plots ?? [];
    expect(plots.map((plot) => plot.detail)).toEqual(["mean", "distribution over steps", "std", "min", "max"]);
  });

  it("loses nothing", () => {
    const tree = treeOf(plotsOf([[...reward, entry("a/b/c"), entry("a/b/d"), entry("a/e")]]));
    expect(tree.map((section) => section.count)).toEqual([5, 3]);
  });
});

describe("titleOf", () => {
  it("says what is measured and which statistic", () => {
    expect(titleOf("rollouts/completion_tokens/mean", "derived")).toEqual({
      title: "completion tokens",
      detail: "mean",
    });
    expect(titleOf("eval/aime24/pass@1", "derived")).toEqual({ title: "eval · aime24 · pass@1", detail: "" });
    expect(titleOf("discarded/zero_advantage/pct", "derived")).toEqual({
      title: "discarded · zero advantage",
      detail: "%",
    });
    expect(titleOf("rollouts/samples/truncated_pct", "derived")).toEqual({ title: "samples · truncated", detail: "%" });
    expect(titleOf("rollouts/metrics.has_boxed/mean", "derived").title).toBe("has_boxed");
    expect(titleOf("eval/Held-out_math/metrics.correct/mean", "derived").title).toBe("eval · Held-out math · correct");
    expect(titleOf("rollouts/rewards.format/mean", "derived").title).toBe("reward · format");
  });

  it("leaves a logged name as the trainer wrote it", () => {
    expect(titleOf("optim/grad_norm")).toEqual({ title: "optim/grad_norm", detail: "" });
  });
});

describe("searchPlots", () => {
  it("finds every word, in any order and case", () => {
    const plots = plotsOf([[entry("optim/grad_norm"), entry("optim/lr"), ...reward]]);
    expect(searchPlots(plots, "NORM optim").map((plot) => plot.name)).toEqual(["optim/grad_norm"]);
    expect(searchPlots(plots, "distribution").map((plot) => plot.kind)).toEqual(["heat"]);
    expect(searchPlots(plots, "  ")).toHaveLength(plots.length);
    expect(searchPlots(plots, "nothing like it")).toEqual([]);
  });
});

describe("defaultPlots", () => {
  it("starts with reward, its distribution and the tokens", () => {
    const plots = plotsOf([
      [
        entry("optim/grad_norm"),
        entry("entropy"),
        entry("rollouts/completion_tokens/mean", { origin: "derived" }),
        ...reward,
      ],
    ]);
    expect(defaultPlots(plots).map((plot) => plot.name)).toEqual([
      "rollouts/reward/mean",
      "rollouts/reward/distribution",
      "rollouts/completion_tokens/mean",
      "entropy",
      "optim/grad_norm",
    ]);
  });

  it("shows something for a run it knows nothing of, and nothing for an empty one", () => {
    expect(defaultPlots(plotsOf([[entry("foo/bar")]]))).toEqual([{ kind: "line", name: "foo/bar" }]);
    expect(defaultPlots([])).toEqual([]);
  });
});

describe("charts that say little", () => {
  it("are the statistics in a mean's band, and what one run alone has, the same at every step", () => {
    const first = [...reward, entry("optim/lr", { constant: true }), entry("loss", { constant: true })];
    const plots = plotsOf([first, [entry("loss", { constant: false })]]);
    const named = (name: string) => plots.find((plot) => plot.name === name);
    expect(plots.filter(({ inBand }) => inBand).map(({ name }) => name.split("/").at(-1))).toEqual([
      "std",
      "min",
      "max",
    ]);
    expect([named("optim/lr")?.constant, named("loss")?.constant]).toEqual([true, false]);
  });

  it("are the distributions of fields whose every statistic stands still", () => {
    const still = reward.map((each) => ({ ...each, constant: true }));
    const [first, ...rest] = still as [CatalogEntry, ...CatalogEntry[]];
    const heatOf = (...catalogs: CatalogEntry[][]) => plotsOf(catalogs).find(({ kind }) => kind === "heat");
    expect(heatOf(still)?.constant).toBe(true);
    expect(heatOf([{ ...first, constant: false }, ...rest])?.constant).toBe(false);
    expect(heatOf(still, still)?.constant).toBe(false);
  });
});
