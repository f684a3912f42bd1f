import {
  type CollisionDetection,
  closestCenter,
  DndContext,
  type DragEndEvent,
  type DragOverEvent,
  pointerWithin,
  type UniqueIdentifier,
  useDroppable,
} from "@dnd-kit/core";
import { rectSortingStrategy, SortableContext } from "@dnd-kit/sortable";
import { type ReactNode, useMemo } from "react";
import { Problem } from "../api/client";
import { announcementsFor, INSTRUCTIONS } from "../charts/dragAnnouncements";
import { CatalogPicker } from "../charts/menu/CatalogPicker";
import { SortableChart, useChartSensors } from "../charts/SortableChart";
import type { PlotEntry } from "../charts/series/catalog";
import { usePageParam } from "../state/view";
import { Button } from "../ui/Button";
import { MenuItem, MenuLine } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Empty, Failure, Skeleton } from "../ui/States";
import { CHART_HEIGHT, type MetricsProps } from "./AllMetrics";
import { ChartGrid, ChartSection } from "./ChartSection";
import styles from "./DashboardView.module.css";
import { type Saving, useDashboard } from "./dashboardStore";
import {
  chartCount,
  chartMoved,
  duplicated,
  type Layout,
  moved,
  newChart,
  newSection,
  plotCounts,
  type Section,
  sectionOf,
  without,
  withSection,
  withSettings,
} from "./layout";
import { MetricsFrame } from "./MetricsFrame";

interface DashboardViewProps extends MetricsProps {
  readonly name: string;
}

/** A dashboard: sections and charts in the order someone put them, editable where they stand. */
export function DashboardView({ name, catalog, view, onView }: DashboardViewProps) {
  const { query, setLayout, saving, retrySave } = useDashboard(name);
  const [, open] = usePageParam("dashboard");
  const layout = query.data;
  return (
    <MetricsFrame
      view={view}
      onView={onView}
      contents={(layout?.sections ?? []).map(({ id, title, charts }) => ({
        id,
        title: title || "Untitled",
        count: charts.length,
      }))}
      status={layout && <SavedMark saving={saving} onRetry={retrySave} />}
      aside={
        <div className={styles.aside}>
          <Button
            icon="plus"
            disabled={!layout}
            onClick={() => layout && setLayout({ sections: [...layout.sections, newSection("New section")] })}
          >
            Add a section
          </Button>
        </div>
      }
    >
      {query.isLoading && <Skeleton lines={6} label="Loading the dashboard" />}
      {query.isError && (
        <>
          <Failure error={query.error} onRetry={() => void query.refetch()} />
          <p className={styles.back}>
            <Button onClick={() => open("")}>Show all metrics</Button>
          </p>
        </>
      )}
      {layout && <Sections layout={layout} setLayout={setLayout} plots={catalog.plots} />}
    </MetricsFrame>
  );
}

function SavedMark({ saving, onRetry }: { saving: Saving; onRetry: () => void }) {
  if (saving.state === "failed") {
    const reason = saving.error instanceof Problem ? saving.error.title : String(saving.error);
    return (
      <span className={styles.failed} role="alert">
        Not saved: {reason}
        <Button onClick={onRetry}>Try again</Button>
      </span>
    );
  }
  return (
    <span className={styles.saved} role="status">
      {saving.state === "saved" ? "Saved on the server" : "Saving…"}
    </span>
  );
}

interface SectionsProps {
  readonly layout: Layout;
  readonly setLayout: (layout: Layout) => void;
  readonly plots: readonly PlotEntry[];
}

function Sections({ layout, setLayout, plots }: SectionsProps) {
  const sensors = useChartSensors();
  const announcements = useMemo(
    () =>
      announcementsFor((id) => {
        const section = sectionOf(layout, String(id));
        const place = section?.charts.findIndex((chart) => chart.id === id) ?? -1;
        const chart = section?.charts[place];
        if (!section || !chart) return null;
        return { name: chart.name, place: place + 1, total: section.charts.length, section: section.title };
      }),
    [layout],
  );

  /** Where a drop on `over` puts a chart: at another chart's place, or at the end of a section. */
  const target = (over: UniqueIdentifier): { section: Section; place: number } | null => {
    const onto = layout.sections.find((section) => section.id === over);
    if (onto) return { section: onto, place: onto.charts.length };
    const section = sectionOf(layout, String(over));
    return section ? { section, place: section.charts.findIndex((chart) => chart.id === over) } : null;
  };
  // What the pointer is over; the keyboard has none, and takes what is nearest. A chart counts before its section.
  const collisions: CollisionDetection = (args) => {
    const within = pointerWithin(args);
    const found = within.length > 0 ? within : closestCenter(args);
    const charts = found.filter(({ id }) => !layout.sections.some((section) => section.id === id));
    return charts.length > 0 ? charts : found;
  };
  // Crossing into another section moves the chart there at once, so that its new neighbours make room.
  const onDragOver = ({ active, over }: DragOverEvent) => {
    const to = over && target(over.id);
    if (to && sectionOf(layout, String(active.id))?.id !== to.section.id) {
      setLayout(chartMoved(layout, String(active.id), to.section.id, to.place));
    }
  };
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const to = over && active.id !== over.id ? target(over.id) : null;
    if (to) setLayout(chartMoved(layout, String(active.id), to.section.id, to.place));
  };

  if (layout.sections.length === 0) {
    return <Empty title="An empty dashboard">Add a section on the left, then charts to it.</Empty>;
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collisions}
      onDragOver={onDragOver}
      onDragEnd={onDragEnd}
      accessibility={{ announcements, screenReaderInstructions: INSTRUCTIONS }}
    >
      {layout.sections.map((section, place) => (
        <DashboardSection
          key={section.id}
          section={section}
          place={place}
          layout={layout}
          setLayout={setLayout}
          plots={plots}
        />
      ))}
    </DndContext>
  );
}

interface DashboardSectionProps extends SectionsProps {
  readonly section: Section;
  readonly place: number;
}

function DashboardSection({ section, place, layout, setLayout, plots }: DashboardSectionProps) {
  const change = (patch: Partial<Section>) =>
    setLayout(withSection(layout, section.id, (current) => ({ ...current, ...patch })));
  const counts = useMemo(() => plotCounts(section.charts), [section.charts]);
  const last = layout.sections.length - 1;
  return (
    <ChartSection
      anchor={section.id}
      label={section.title || "Untitled section"}
      count={section.charts.length}
      folded={section.folded}
      onFold={(folded) => change({ folded })}
      title={
        <input
          className={styles.title}
          aria-label="Section title"
          placeholder="Untitled"
          maxLength={120}
          value={section.title}
          onChange={(event) => change({ title: event.target.value })}
        />
      }
      tools={
        <>
          <Popover label="Add charts" align="end" button={{ icon: "plus", children: "Add charts" }}>
            {() => (
              <CatalogPicker
                plots={plots}
                counts={counts}
                onAdd={(plot) => change({ charts: [...section.charts, newChart(plot)], folded: false })}
              />
            )}
          </Popover>
          <Popover
            label="Section"
            align="end"
            button={{ icon: "more", quiet: true, "aria-label": "More about this section" }}
          >
            {(close) => {
              const act = (next: Layout) => {
                close();
                setLayout(next);
              };
              const movedTo = (to: number) => act({ sections: moved(layout.sections, place, to) });
              return (
                <>
                  {place > 0 && <MenuItem onClick={() => movedTo(place - 1)}>Move up</MenuItem>}
                  {place < last && <MenuItem onClick={() => movedTo(place + 1)}>Move down</MenuItem>}
                  <MenuItem onClick={() => act({ sections: without(layout.sections, section.id) })}>
                    Remove section{section.charts.length > 0 && ` and its ${section.charts.length} charts`}
                  </MenuItem>
                </>
              );
            }}
          </Popover>
        </>
      }
    >
      <DropArea section={section}>
        <SortableContext items={section.charts.map((chart) => chart.id)} strategy={rectSortingStrategy}>
          <ChartGrid>
            {section.charts.map((chart) => (
              <SortableChart
                key={chart.id}
                spec={chart}
                height={CHART_HEIGHT}
                onSettings={(settings) => change({ charts: withSettings(section.charts, chart.id, settings) })}
                actions={(act) => (
                  <>
                    <MenuLine />
                    <MenuItem onClick={() => act(() => change({ charts: duplicated(section.charts, chart.id) }))}>
                      Duplicate
                    </MenuItem>
                    {layout.sections
                      .filter((other) => other.id !== section.id)
                      .map((other) => (
                        <MenuItem
                          key={other.id}
                          onClick={() =>
                            act(() => setLayout(chartMoved(layout, chart.id, other.id, chartCount(layout))))
                          }
                        >
                          Move to {other.title || "Untitled"}
                        </MenuItem>
                      ))}
                    <MenuItem onClick={() => act(() => change({ charts: without(section.charts, chart.id) }))}>
                      Remove
                    </MenuItem>
                  </>
                )}
              />
            ))}
          </ChartGrid>
        </SortableContext>
      </DropArea>
    </ChartSection>
  );
}

/** An empty section takes charts too. */
function DropArea({ section, children }: { section: Section; children: ReactNode }) {
  const { setNodeRef, isOver } = useDroppable({ id: section.id });
  return (
    <div ref={setNodeRef} className={styles.drop} data-over={isOver || undefined}>
      {section.charts.length === 0 ? <p className={styles.hint}>Add charts, or drag one here.</p> : children}
    </div>
  );
}
