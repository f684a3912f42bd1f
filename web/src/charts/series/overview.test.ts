import { describe, expect, it } from "vitest";
import { type CatalogEntry, placeOf, plotsOf } from "./catalog";
import { metricsOf } from "./chartSettings";
import { overviewCharts } from "./overview";

function entry(name: string, origin: "logged" | "derived", constant = false): CatalogEntry {
  const isStatistic = origin === "derived" && name.endsWith("/mean");
  const more = { field: isStatistic ? name : null, split: isStatistic ? "train" : null };
  return { name, ...placeOf(name), origin, points: 10, constant, ...more };
}

const derived = [
  "rollouts/reward/mean",
  "rollouts/rewards.format/mean",
  "rollouts/rewards.correct/mean",
  "rollouts/completion_tokens/mean",
  "rollouts/groups/zero_variance_pct",
  "discarded/all/pct",
  "eval/aime_24/reward/mean",
  "eval/math/reward/mean",
].map((name) => entry(name, "derived"));
const many = Array.from({ length: 80 }, (_, place) => entry(`layer/${place}`, "logged"));

describe("the overview", () => {
  it("draws what belongs together in one chart, after the reward", () => {
    const charts = overviewCharts(plotsOf([[...derived, entry("optim/grad_norm", "logged"), ...many]]));
    expect(charts.map((chart) => chart.title ?? chart.name)).toEqual([
      "rollouts/reward/mean",
      "rollouts/reward/distribution",
      "Reward components",
      "Evals: reward",
      "Truncated and unused, %",
      "rollouts/completion_tokens/mean",
      "optim/grad_norm",
    ]);
    const components = charts.find(({ title }) => title === "Reward components");
    expect(components && metricsOf(components)).toEqual([
      "rollouts/rewards.format/mean",
      "rollouts/rewards.correct/mean",
    ]);
  });

  it("is not needed for a catalog that is seen at a glance, or of which nothing is known", () => {
    expect(overviewCharts(plotsOf([derived]))).toEqual([]);
    expect(overviewCharts(plotsOf([many]))).toEqual([]);
  });
});

describe("an eval", () => {
  it("stands once in the catalog, with what was logged under its name", () => {
    const logged = ["AIME (24)/env/all/reward", "test/Math/loss", "optim/lr"].map((name) => entry(name, "logged"));
    const plots = plotsOf([[...derived, ...logged]]).filter(({ origin }) => origin === "logged");
    expect(plots.map(({ section, group, ofEval }) => [section, group, ofEval])).toEqual([
      ["eval", "aime_24", true],
      ["eval", "math", true],
      ["optim", "", false],
    ]);
  });
});
