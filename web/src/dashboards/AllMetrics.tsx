import { useMemo, useState } from "react";
import { Chart } from "../charts/Chart";
import { type CatalogGroup, type CatalogSection, type PlotEntry, searchPlots, treeOf } from "../charts/series/catalog";
import { type ChartSettings, parseSettings } from "../charts/series/chartSettings";
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

const foldedSections = setting<string[]>("metrics-folded", []);
const settingsByPlot = setting<Record<string, unknown>>("metrics-charts", {});

/** The whole catalog by section and group. Each chart keeps its settings by its metric's name, in every run. */
export function AllMetrics({ catalog, view, onView }: MetricsProps) {
  const { plots, loading, error, retry } = catalog;
  const [query, setQuery] = useState("");
  const [folded, setFolded] = useSetting(foldedSections);
  const sections = useMemo(() => treeOf(searchPlots(plots, query)), [plots, query]);
  const searching = query.trim() !== "";
  const contents = sections.map(
    (section): Anchor => ({
      id: section.name,
      title: section.name,
      count: section.count,
      inner: section.groups
        .filter((group) => group.name !== "")
        .map((group) => ({ id: anchorOf(section.name, group.name), title: group.name, count: group.plots.length })),
    }),
  );
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
          {blocksOf(section, searching ? () => true : isShown).map((block) => (
            <div key={block[0]?.name ?? ""}>
              {block.length === 1 && block[0]?.name !== "" && (
                <GroupTitle anchor={anchorOf(section.name, block[0]?.name ?? "")}>{block[0]?.name}</GroupTitle>
              )}
              <ChartGrid>
                {block.map((group) =>
                  group.plots.map((plot, at) => (
                    <div
                      key={plot.name}
                      className={styles.cell}
                      data-anchor={block.length > 1 && at === 0 ? anchorOf(section.name, group.name) : undefined}
                    >
                      <PlotChart plot={plot} plots={plots} />
                    </div>
                  )),
                )}
              </ChartGrid>
            </div>
          ))}
          {!searching && <FoldedCharts section={section} plots={plots} />}
        </ChartSection>
      ))}
    </MetricsFrame>
  );
}

/** What changes, and is not drawn as a band around another chart's line. */
const isShown = ({ constant, inBand }: PlotEntry): boolean => !constant && !inBand;

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
function FoldedCharts({ section, plots }: { section: CatalogSection; plots: readonly PlotEntry[] }) {
  const all = section.groups.flatMap((group) => group.plots);
  return (
    <>
      <Folded label="more statistic" charts={all.filter(({ inBand }) => inBand)} plots={plots} />
      <Folded
        label="constant metric"
        charts={all.filter(({ constant, inBand }) => constant && !inBand)}
        plots={plots}
      />
    </>
  );
}

function Folded({
  label,
  charts,
  plots,
}: {
  label: string;
  charts: readonly PlotEntry[];
  plots: readonly PlotEntry[];
}) {
  const [isOpen, setOpen] = useState(false);
  if (charts.length === 0) return null;
  return (
    <>
      <p className={styles.folded}>
        <Button quiet aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {plural(charts.length, label)}
        </Button>
      </p>
      {isOpen && (
        <ChartGrid>
          {charts.map((plot) => (
            <PlotChart key={plot.name} plot={plot} plots={plots} />
          ))}
        </ChartGrid>
      )}
    </>
  );
}

function anchorOf(section: string, group: string): string {
  return `${section}/${group}`;
}

/** In the catalog a field's mean shows its spread, until someone says otherwise. */
function withUsualBand(plot: PlotEntry, stored: unknown): unknown {
  const isMean = plot.origin === "derived" && plot.name.endsWith("/mean");
  return isMean ? { band: "std", ...(typeof stored === "object" ? stored : {}) } : stored;
}

function PlotChart({ plot, plots }: { plot: PlotEntry; plots: readonly PlotEntry[] }) {
  const [all, store] = useSetting(settingsByPlot);
  const { charts, setCharts } = useSidebarCharts(plots);
  const stored = all[plot.name];
  const spec = useMemo(
    () => ({ id: plot.name, kind: plot.kind, name: plot.name, settings: parseSettings(withUsualBand(plot, stored)) }),
    [plot, stored],
  );
  const onSettings = (settings: ChartSettings) => store({ ...all, [plot.name]: settings });
  return (
    <Chart
      spec={spec}
      height={CHART_HEIGHT}
      onSettings={onSettings}
      actions={(act) => (
        <>
          <MenuLine />
          <MenuItem onClick={() => act(() => setCharts([...charts, newChart(plot, spec.settings)]))}>
            Add to the sidebar
          </MenuItem>
        </>
      )}
    />
  );
}
