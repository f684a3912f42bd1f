/** The charts that a large catalog opens on: what is looked at first in any run, with what belongs together in one chart. */
import { defaultPlots, type PlotEntry } from "./catalog";
import { type ChartSpec, DEFAULT_SETTINGS, MAX_METRICS } from "./chartSettings";

/** Fewer charts than this are looked through soon. */
const LARGE = 60;

/** Charts of several metrics: what they are called, and which metrics they hold. */
const TOGETHER: readonly { readonly title: string; readonly of: RegExp }[] = [
  { title: "Reward components", of: /^rollouts\/rewards\.[^/]+\/mean$/ },
  { title: "Evals: reward", of: /^eval\/.+\/reward\/mean$/ },
  { title: "Evals: pass@1", of: /^eval\/.+\/pass@1$/ },
  {
    title: "Truncated and unused, %",
    of: /^(rollouts\/samples\/truncated_pct|rollouts\/groups\/zero_variance_pct|discarded\/all\/pct)$/,
  },
];
/** How many charts stand before those of several metrics: reward and its distribution. */
const FIRST = 2;
const SINGLE = 9;

/** Nothing for a catalog that is small anyway, or of which nothing is known. */
export function overviewCharts(plots: readonly PlotEntry[]): ChartSpec[] {
  const shown = plots.filter(({ constant, inBand, ofEval }) => !constant && !inBand && !ofEval);
  if (shown.length <= LARGE) return [];
  const together = TOGETHER.flatMap(({ title, of }): ChartSpec[] => {
    const [first, ...more] = shown.filter(({ name }) => of.test(name)).slice(0, MAX_METRICS);
    if (!first || more.length === 0) return [];
    const settings = { ...DEFAULT_SETTINGS, more: more.map(({ name }) => name) };
    return [{ id: `overview:${title}`, kind: "line", name: first.name, title, settings }];
  });
  const taken = new Set(together.flatMap(({ name, settings }) => [name, ...settings.more]));
  const single = defaultPlots(shown, SINGLE)
    .filter(({ name }) => !taken.has(name))
    .map(({ kind, name }): ChartSpec => {
      const band = name === "rollouts/reward/mean" ? ("std" as const) : DEFAULT_SETTINGS.band;
      return { id: `overview:${name}`, kind, name, settings: { ...DEFAULT_SETTINGS, band } };
    });
  const charts = [...single.slice(0, FIRST), ...together, ...single.slice(FIRST)];
  return charts.length > FIRST ? charts : [];
}
