import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../charts/series/chartSettings";
import {
  chartMoved,
  duplicated,
  type Layout,
  moved,
  newChart,
  newSection,
  parseCharts,
  parseLayout,
  sectionOf,
  without,
  withSettings,
} from "./layout";

const loss = { kind: "line", name: "loss" } as const;
const kl = { kind: "line", name: "kl" } as const;

describe("a list of charts", () => {
  it("holds the same plot several times, each with its own settings", () => {
    const charts = [newChart(loss), newChart(loss)];
    const [first, second] = charts as [(typeof charts)[0], (typeof charts)[0]];
    expect(first.id).not.toBe(second.id);
    const changed = withSettings(charts, second.id, { ...DEFAULT_SETTINGS, ignoreOutliers: true });
    expect(changed.map((chart) => chart.settings.ignoreOutliers)).toEqual([false, true]);
  });

  it("moves a chart with its settings", () => {
    const marked = newChart(kl, { ...DEFAULT_SETTINGS, yMax: 3 });
    const charts = moved([newChart(loss), newChart(loss), marked], 2, 0);
    expect(charts[0]).toBe(marked);
    expect(charts).toHaveLength(3);
  });

  it("duplicates right below, settings included, as a chart of its own", () => {
    const marked = newChart(kl, { ...DEFAULT_SETTINGS, log: true });
    const charts = duplicated([marked, newChart(loss)], marked.id);
    expect(charts.map((chart) => chart.name)).toEqual(["kl", "kl", "loss"]);
    expect(charts[1]?.settings.log).toBe(true);
    expect(charts[1]?.id).not.toBe(marked.id);
  });

  it("removes only the one that was meant", () => {
    const charts = [newChart(loss), newChart(loss)];
    expect(without(charts, charts[0]?.id ?? "")).toEqual([charts[1]]);
  });

  it("takes places outside the list as its ends", () => {
    expect(moved(["a", "b", "c"], 0, 99)).toEqual(["b", "c", "a"]);
    expect(moved(["a", "b", "c"], 2, -5)).toEqual(["c", "a", "b"]);
    expect(moved(["a"], 5, 0)).toEqual(["a"]);
  });
});

describe("chartMoved", () => {
  const chart = newChart(loss, { ...DEFAULT_SETTINGS, ignoreFirst: true });
  const layout: Layout = { sections: [newSection("one", [chart, newChart(kl)]), newSection("two", [newChart(kl)])] };
  const [one, two] = layout.sections as [Layout["sections"][0], Layout["sections"][0]];

  it("takes a chart into another section at a place", () => {
    const after = chartMoved(layout, chart.id, two.id, 0);
    expect(after.sections.map((section) => section.charts.map((c) => c.name))).toEqual([["kl"], ["loss", "kl"]]);
    expect(sectionOf(after, chart.id)?.charts[0]?.settings.ignoreFirst).toBe(true);
  });

  it("moves within a section", () => {
    expect(chartMoved(layout, chart.id, one.id, 1).sections[0]?.charts[1]).toBe(chart);
  });

  it("does nothing for a chart or section that is not there", () => {
    expect(chartMoved(layout, "gone", two.id, 0)).toBe(layout);
    expect(chartMoved(layout, chart.id, "gone", 0)).toBe(layout);
  });
});

describe("what was saved", () => {
  it("comes back the same", () => {
    const layout: Layout = { sections: [newSection("Health", [newChart(loss, { ...DEFAULT_SETTINGS, k: 3 })])] };
    expect(parseLayout(JSON.parse(JSON.stringify(layout)))).toEqual(layout);
  });

  it("is made sound: no chart without a name, no id twice, no setting that cannot be", () => {
    const charts = parseCharts([
      { id: "x", name: "a" },
      { id: "x", name: "b", kind: "pie", settings: { k: "six" } },
      {},
      7,
    ]);
    expect(charts.map((chart) => chart.name)).toEqual(["a", "b"]);
    expect(new Set(charts.map((chart) => chart.id)).size).toBe(2);
    expect(charts[1]).toMatchObject({ kind: "line", settings: DEFAULT_SETTINGS });
  });

  it("is empty for junk", () => {
    for (const junk of [null, 3, "x", [], { sections: 5 }]) expect(parseLayout(junk)).toEqual({ sections: [] });
    expect(parseCharts({})).toEqual([]);
  });
});
