/** Which charts the sidebar shows: the user's own, remembered by the browser, else what one looks at first. */
import { useCallback, useMemo } from "react";
import { setting, useSetting } from "../app/settings";
import { defaultPlots, type PlotEntry } from "../lib/catalog";
import { type ChartSpec, parseCharts } from "../lib/layout";
import { DEFAULT_SETTINGS } from "../lib/seriesSettings";

const stored = setting<unknown>("sidebar-charts", null);

/** The ids of default charts come from their names: they stay the same while the catalog grows. */
export function defaultCharts(plots: readonly PlotEntry[]): ChartSpec[] {
  return defaultPlots(plots).map((plot) => ({ ...plot, id: `default:${plot.name}`, settings: DEFAULT_SETTINGS }));
}

export function useSidebarCharts(plots: readonly PlotEntry[]): {
  charts: readonly ChartSpec[];
  setCharts: (charts: readonly ChartSpec[]) => void;
  /** Back to the default charts; null when those are shown. */
  reset: (() => void) | null;
} {
  const [own, store] = useSetting(stored);
  const charts = useMemo(() => (own === null ? defaultCharts(plots) : parseCharts(own)), [own, plots]);
  const reset = useCallback(() => store(null), [store]);
  return { charts, setCharts: store, reset: own === null ? null : reset };
}
