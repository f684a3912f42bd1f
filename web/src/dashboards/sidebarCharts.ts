/** Which charts the sidebar shows: the user's own, remembered by the browser, else what one looks at first. */
import { useCallback, useMemo } from "react";
import { defaultPlots, type PlotEntry } from "../charts/series/catalog";
import { type ChartSpec, DEFAULT_SETTINGS } from "../charts/series/chartSettings";
import { setting, useSetting } from "../state/settings";
import { parseCharts } from "./layout";

const stored = setting<unknown>("sidebar-charts", null);

/** The ids of default charts come from their names: they stay the same while the catalog grows. */
function defaultCharts(plots: readonly PlotEntry[]): ChartSpec[] {
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
