import { useMemo, useState } from "react";
import { Chart } from "../charts/Chart";
import {
  type CatalogGroup,
  type CatalogSection,
  groupTitle,
  type PlotEntry,
  searchPlots,
  treeOf,
} from "../charts/series/catalog";
import { type ChartSettings, type ChartSpec, DEFAULT_SETTINGS, parseSettings } from "../charts/series/chartSettings";
import { overviewCharts } from "../charts/series/overview";
import type { ViewOptions } from "../charts/series/series";
import type { usePlots } from "../charts/series/usePlots";
import { plural } from "../lib/numbers";
import { setting, useSetting } from "../state/settings";
import { Button } from "../ui/Button";
import { MenuItem, MenuLine } from "../ui/menus/Menu";
import { SearchBox } from "../ui/menus/SearchBox";
import { Empty, Failure, Skeleton } from "../ui/States";
import styles from "./AllMetrics.module.css";
import { ChartGrid, ChartSection, GroupTitle } from "./ChartSection";
import { newChart } from "./layout";
import { type Anchor, MetricsFrame } from "./MetricsFrame";
import { useSidebarCharts } from "./sidebarCharts";

export interface MetricsProps {
  readonly catalog: ReturnType<typeof usePlots>;
  readonly view: ViewOptions;
  readonly onView: (change: Partial<ViewOptions>) => void;
}

export const CHART_HEIGHT = 168;
/** No section of a trainer's is called so: theirs have no space at the end. */
const OVERVIEW = "overview ";

type AddChart = (spec: ChartSpec) => void;

const foldedSections = setting<string[]>("metrics-folded", []);
const settingsByPlot = setting<Record<string, unknown>>("metrics-charts", {});

/** An overview where the catalog is large, then the whole of it by section and group. Each chart keeps its settings by its metric's name, in every run. */
export function AllMetrics({ catalog, view, onView }: MetricsProps) {
  const { plots, loading, error, retry } = catalog;
  const [query, setQuery] = useState("");
  const [folded, setFolded] = useSetting(foldedSections);
  const sidebar = useSidebarCharts(plots);
  const onAdd: AddChart = (spec) => sidebar.setCharts([...sidebar.charts, newChart(spec, spec.settings)]);
  const sections = useMemo(() => treeOf(searchPlots(plots, query)), [plots, query]);
  const searching = query.trim() !== "";
  const overview = useMemo(() => (searching ? [] : overviewCharts(plots)), [plots, searching]);
  const listed = sections.map(
    (section): Anchor => ({
      id: section.name,
      title: section.name,
      count: section.count,
      inner: section.groups
        .filter((group) => group.name !== "")
        .map((group) => ({
          id: anchorOf(section.name, group.name),
          title: groupTitle(group.name),
          count: group.plots.length,
        })),
    }),
  );
  const isWanted = plots.some(isShown) ? isShown : isMean;
  const contents =
    overview.length > 0 ? [{ id: OVERVIEW, title: "Overview", count: overview.length }, ...listed] : listed;
  return (
    <MetricsFrame
      view={view}
      onView={onView}
      contents={contents}
      aside={
        <div className={styles.search}>
          <SearchBox label="Search metrics" value={query} onChange={setQuery} />
        </div>
      }
    >
      {plots.length === 0 && loading && <Skeleton lines={6} label="Loading the catalog" />}
      {plots.length === 0 && error !== null && <Failure error={error} onRetry={retry} />}
      {plots.length === 0 && !loading && error === null && (
        <Empty title="This run has no metrics yet">
          Logged metrics and what Rollscope derives from samples appear here as soon as they are written.
        </Empty>
      )}
      {plots.length > 0 && sections.length === 0 && (
        <Empty icon="search" title={`No metric has “${query}” in its name`} />
      )}
      {overview.length > 0 && (
        <ChartSection
          anchor={OVERVIEW}
          label="Overview"
          title="Overview"
          count={overview.length}
          folded={folded.includes(OVERVIEW)}
          onFold={(fold) => setFolded(fold ? [...folded, OVERVIEW] : folded.filter((name) => name !== OVERVIEW))}
        >
          <ChartGrid>
            {overview.map((chart) => (
              <CatalogChart key={chart.id} fresh={chart} onAdd={onAdd} />
            ))}
          </ChartGrid>
        </ChartSection>
      )}
      {sections.map((section) => (
        <ChartSection
          key={section.name}
          anchor={section.name}
          label={section.name}
          title={section.name}
          count={section.count}
          folded={!searching && folded.includes(section.name)}
          onFold={(fold) =>
            setFolded(fold ? [...folded, section.name] : folded.filter((name) => name !== section.name))
          }
        >
          {blocksOf(section, searching ? () => true : isWanted).map((block) => (
            <div key={block[0]?.name ?? ""}>
              {block.length === 1 && block[0]?.name !== "" && (
                <GroupTitle anchor={anchorOf(section.name, block[0]?.name ?? "")}>
                  {groupTitle(block[0]?.name ?? "")}
                </GroupTitle>
              )}
              <ChartGrid>
                {block.map((group) =>
                  group.plots.map((plot, at) => (
                    <div
                      key={plot.name}
                      className={styles.cell}
                      data-anchor={block.length > 1 && at === 0 ? anchorOf(section.name, group.name) : undefined}
                    >
                      <CatalogChart fresh={chartOf(plot)} onAdd={onAdd} />
                    </div>
                  )),
                )}
              </ChartGrid>
            </div>
          ))}
          {!searching && <FoldedCharts section={section} isWanted={isWanted} onAdd={onAdd} />}
        </ChartSection>
      ))}
    </MetricsFrame>
  );
}

/** What changes, and is not shown by another chart: as its band, or from an eval's own samples. */
const isShown = ({ constant, inBand, ofEval }: PlotEntry): boolean => !constant && !inBand && !ofEval;

/** Where nothing changes, as in a run of two equal steps, a page of folded charts would show nothing. */
const isMean = ({ inBand }: PlotEntry): boolean => !inBand;

/** Groups that stand in one grid: fields with a chart or two would leave most of a row empty each. */
function blocksOf(section: CatalogSection, isWanted: (plot: PlotEntry) => boolean): CatalogGroup[][] {
  const blocks: CatalogGroup[][] = [];
  let joined = false;
  for (const group of section.groups) {
    const plots = group.plots.filter(isWanted);
    if (plots.length === 0) continue;
    const isSmall = plots.length <= 2 && plots.every(({ origin }) => origin === "derived");
    if (isSmall && joined) blocks.at(-1)?.push({ ...group, plots });
    else blocks.push([{ ...group, plots }]);
    joined = isSmall;
  }
  return blocks;
}

/** Charts that say little: lines that never move, and statistics that stand around the mean already. */
function FoldedCharts({
  section,
  isWanted,
  onAdd,
}: {
  section: CatalogSection;
  isWanted: (plot: PlotEntry) => boolean;
  onAdd: AddChart;
}) {
  const all = section.groups.flatMap((group) => group.plots).filter((plot) => !isWanted(plot));
  return (
    <>
      <Folded label="more statistic" charts={all.filter(({ inBand }) => inBand)} onAdd={onAdd} />
      <Folded
        label="metric logged for these evals"
        labels="metrics logged for these evals"
        charts={all.filter(({ constant, ofEval }) => ofEval && !constant)}
        onAdd={onAdd}
      />
      <Folded
        label="constant metric"
        charts={all.filter(({ constant, inBand }) => constant && !inBand)}
        onAdd={onAdd}
      />
    </>
  );
}

function Folded({
  label,
  labels,
  charts,
  onAdd,
}: {
  label: string;
  labels?: string;
  charts: readonly PlotEntry[];
  onAdd: AddChart;
}) {
  const [isOpen, setOpen] = useState(false);
  if (charts.length === 0) return null;
  return (
    <>
      <p className={styles.folded}>
        <Button quiet aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {plural(charts.length, label, labels)}
        </Button>
      </p>
      {isOpen && (
        <ChartGrid>
          {charts.map((plot) => (
            <CatalogChart key={plot.name} fresh={chartOf(plot)} onAdd={onAdd} />
          ))}
        </ChartGrid>
      )}
    </>
  );
}

function anchorOf(section: string, group: string): string {
  return `${section}/${group}`;
}

const specs = new WeakMap<PlotEntry, ChartSpec>();

/** A plot's chart in the catalog, as it is until someone changes it: a field's mean shows its spread. */
function chartOf(plot: PlotEntry): ChartSpec {
  const known = specs.get(plot);
  if (known) return known;
  const isMean = plot.origin === "derived" && plot.name.endsWith("/mean");
  const settings = isMean ? { ...DEFAULT_SETTINGS, band: "std" as const } : DEFAULT_SETTINGS;
  const spec = { id: plot.name, kind: plot.kind, name: plot.name, settings };
  specs.set(plot, spec);
  return spec;
}

/** A chart of the catalog or its overview, with the settings that were given to it. */
function CatalogChart({ fresh, onAdd }: { fresh: ChartSpec; onAdd: AddChart }) {
  const [all, store] = useSetting(settingsByPlot);
  const stored = all[fresh.id];
  const spec = useMemo(
    () =>
      typeof stored === "object" ? { ...fresh, settings: parseSettings({ ...fresh.settings, ...stored }) } : fresh,
    [fresh, stored],
  );
  const onSettings = (settings: ChartSettings) => store({ ...all, [fresh.id]: settings });
  return (
    <Chart
      spec={spec}
      height={CHART_HEIGHT}
      onSettings={onSettings}
      actions={(act) => (
        <>
          <MenuLine />
          <MenuItem onClick={() => act(() => onAdd(spec))}>Add to the sidebar</MenuItem>
        </>
      )}
    />
  );
}
