/** The right pane of Rollouts, Discarded and Evals: the run's charts beside its samples. */
import { closestCenter, DndContext, type DragEndEvent } from "@dnd-kit/core";
import { rectSortingStrategy, SortableContext } from "@dnd-kit/sortable";
import { memo, useCallback, useMemo } from "react";
import { ChartsProvider } from "../charts/ChartsContext";
import { useChartView } from "../charts/chartView";
import { announcementsFor, INSTRUCTIONS } from "../charts/dragAnnouncements";
import { CatalogPicker } from "../charts/menu/CatalogPicker";
import { openSteps } from "../charts/plot/filterFromChart";
import { SortableChart, useChartSensors } from "../charts/SortableChart";
import type { Plot } from "../charts/series/catalog";
import { nearest } from "../charts/series/series";
import { useChartRuns } from "../charts/series/useChartRuns";
import { usePlots } from "../charts/series/usePlots";
import { AxisControl, SmoothingControl, ZoomControl } from "../charts/ViewControls";
import { go } from "../state/view";
import { MenuItem, MenuLine } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Empty, Failure } from "../ui/States";
import { duplicated, moved, newChart, plotCounts, without, withSettings } from "./layout";
import styles from "./MetricsSidebar.module.css";
import { useSidebarCharts } from "./sidebarCharts";

const HEIGHT = { line: 138, heat: 92 };

interface MetricsSidebarProps {
  /** The step being read. */
  readonly step: number | null;
  /** The steps this page can open, ascending: a click between them opens the nearest. */
  readonly steps: readonly number[];
}

/** Drawn again for another step, not for another sample. */
export default memo(function MetricsSidebar({ step, steps }: MetricsSidebarProps) {
  const runs = useChartRuns();
  const [view, onView] = useChartView();
  const { plots, loading, error, retry } = usePlots(runs);
  const { charts, setCharts, reset } = useSidebarCharts(plots);
  const sensors = useChartSensors();

  const openStep = useCallback(
    (wanted: number) => {
      const place = nearest(steps, wanted);
      // Before the list of steps has come, the chart's own word for it will do.
      go({ step: place === null ? wanted : (steps[place] as number) });
    },
    [steps],
  );
  const counts = useMemo(() => plotCounts(charts), [charts]);
  const announcements = useMemo(
    () =>
      announcementsFor((id) => {
        const place = charts.findIndex((chart) => chart.id === id);
        const chart = charts[place];
        return chart ? { name: chart.name, place: place + 1, total: charts.length, section: null } : null;
      }),
    [charts],
  );

  const add = (plot: Plot) => setCharts([...charts, newChart(plot)]);
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (!over || active.id === over.id) return;
    const placeOf = (id: string | number) => charts.findIndex((chart) => chart.id === id);
    setCharts(moved(charts, placeOf(active.id), placeOf(over.id)));
  };

  return (
    <ChartsProvider runs={runs} view={view} step={step} openStep={openStep} listSteps={openSteps}>
      <section className={styles.sidebar} aria-label="Metrics sidebar">
        <div className={styles.controls}>
          <Popover label="Charts of the sidebar" button={{ children: `Charts ${charts.length}`, opens: true }}>
            {() => (
              <>
                <CatalogPicker plots={plots} counts={counts} onAdd={add} />
                {reset && (
                  <>
                    <MenuLine />
                    <MenuItem onClick={reset}>Back to the default charts</MenuItem>
                  </>
                )}
              </>
            )}
          </Popover>
          <SmoothingControl view={view} onView={onView} />
          <ZoomControl />
          <span className={styles.space} />
          <AxisControl view={view} onView={onView} />
        </div>
        <div className={styles.charts}>
          {error !== null && plots.length === 0 && <Failure error={error} onRetry={retry} />}
          {!loading && error === null && runs.length > 0 && plots.length === 0 && (
            <Empty title="This run has no metrics yet">
              They appear here as soon as samples or metrics are written.
            </Empty>
          )}
          {plots.length > 0 && charts.length === 0 && (
            <Empty title="No charts here">Add some from “Charts” above.</Empty>
          )}
          <DndContext
            sensors={sensors}
            collisionDetection={closestCenter}
            onDragEnd={onDragEnd}
            accessibility={{ announcements, screenReaderInstructions: INSTRUCTIONS }}
          >
            <SortableContext items={charts.map((chart) => chart.id)} strategy={rectSortingStrategy}>
              {charts.map((chart, place) => (
                <SortableChart
                  key={chart.id}
                  spec={chart}
                  height={HEIGHT[chart.kind]}
                  onSettings={(settings) => setCharts(withSettings(charts, chart.id, settings))}
                  actions={(act) => (
                    <>
                      <MenuLine />
                      <MenuItem onClick={() => act(() => setCharts(duplicated(charts, chart.id)))}>Duplicate</MenuItem>
                      {place > 0 && (
                        <MenuItem onClick={() => act(() => setCharts(moved(charts, place, place - 1)))}>
                          Move up
                        </MenuItem>
                      )}
                      {place < charts.length - 1 && (
                        <MenuItem onClick={() => act(() => setCharts(moved(charts, place, place + 1)))}>
                          Move down
                        </MenuItem>
                      )}
                      <MenuItem onClick={() => act(() => setCharts(without(charts, chart.id)))}>Remove</MenuItem>
                    </>
                  )}
                />
              ))}
            </SortableContext>
          </DndContext>
        </div>
      </section>
    </ChartsProvider>
  );
});
