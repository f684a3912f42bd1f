import { queryOptions, type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { distributionQuery } from "../../api/hooks";
import type { SeriesColumns, SeriesInfo } from "../../api/types";
import { RUN_COLOURS } from "../../state/runColours";
import { type ChartRun, useCharts } from "../ChartsContext";
import { clipHeat, type HeatData } from "../plot/heatMap";
import { clockName, entryNamed, heatSource, titleOf } from "./catalog";
import { type ChartSpec, metricsOf } from "./chartSettings";
import { clockOf, type Line, lineOf, NO_CLOCK } from "./series";
import { loadSeries } from "./seriesLoader";

export interface RunLine {
  /** Whose line it is; in a chart of several metrics, of which of them. */
  readonly run: ChartRun;
  readonly line: Line;
}

export type ChartData =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: unknown; readonly retry: () => void }
  | { readonly state: "absent" }
  | { readonly state: "lines"; readonly lines: readonly RunLine[]; readonly band?: BandData | null }
  | { readonly state: "heat"; readonly run: ChartRun; readonly heat: HeatData; readonly source?: HeatSource };

/** The spread around the open run's mean, at that line's own places. */
export interface BandData {
  readonly run: ChartRun;
  readonly x: readonly number[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

/** What a heat map is of. */
export interface HeatSource {
  readonly field: string;
  readonly split: string;
}

const seriesQuery = (run: string, name: string, times: boolean) =>
  queryOptions({
    queryKey: ["run", run, "series", name, times] as const,
    queryFn: () => loadSeries(run, name, times),
    // Comparing ten thousand points with the ten thousand before costs more than drawing them.
    structuralSharing: false,
  });

interface Answers<T> {
  readonly data: readonly (T | undefined)[];
  readonly pending: boolean;
  readonly failed: { readonly error: unknown; readonly retry: () => void } | null;
}

function combined<T>(results: readonly UseQueryResult<T>[]): Answers<T> {
  const failed = results.find((result) => result.isError && result.data === undefined);
  return {
    data: results.map((result) => result.data),
    pending: results.some((result) => result.isLoading),
    failed: failed ? { error: failed.error, retry: () => void failed.refetch() } : null,
  };
}
const combineSeries = (results: UseQueryResult<SeriesColumns | null>[]) => combined(results);

/** What a chart draws, asked for once the chart is near the window. */
export function useChartData(spec: ChartSpec, near: boolean): { data: ChartData; origin: "logged" | "derived" } {
  const { catalogs } = useCharts();
  const lines = useLines(spec, near && spec.kind === "line", catalogs.data);
  const heat = useHeat(spec, near && spec.kind === "heat", catalogs.data[0]);
  const logged = spec.kind === "line" && !isDerived(catalogs.data, spec.name);
  const origin = logged ? "logged" : "derived";
  if (catalogs.failed) return { origin, data: { state: "failed", ...catalogs.failed } };
  if (!near || catalogs.pending) return { origin, data: { state: "loading" } };
  return { origin, data: spec.kind === "line" ? lines : heat };
}

function isDerived(catalogs: readonly (readonly SeriesInfo[] | undefined)[], name: string): boolean {
  return catalogs.some((catalog) => catalog && entryNamed(catalog, name)?.origin === "derived");
}

function useLines(
  spec: ChartSpec,
  enabled: boolean,
  catalogs: readonly (readonly SeriesInfo[] | undefined)[],
): ChartData {
  const { runs, view } = useCharts();
  const names = metricsOf(spec);
  const having = runs.flatMap((run, i) => {
    const catalog = catalogs[i];
    const clock = catalog ? clockName(catalog) : null;
    return names.flatMap((name, place) => {
      const entry = catalog && entryNamed(catalog, name);
      return entry ? [{ run, name, clock, drawn: drawnAs(run, runs.length, entry, place, names.length) }] : [];
    });
  });
  const { data, pending, failed } = useQueries({
    queries: having.map(({ run, name }) => ({ ...seriesQuery(run.id, name, view.axis !== "step"), enabled })),
    combine: combineSeries,
  });
  const clocks = useQueries({
    queries: having.map(({ run, clock }) => ({
      ...seriesQuery(run.id, clock ?? "", true),
      enabled: enabled && view.axis !== "step" && clock !== null,
    })),
    combine: combineSeries,
  });
  const ids = having.map(({ drawn }) => drawn.id).join("\n");
  const spread = useBand(spec, enabled, having[0]?.run, catalogs[0]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ids` stands for `having`, which is a new array each time.
  const drawn = useMemo(() => {
    const lines = having.flatMap(({ drawn: run }, i): RunLine[] => {
      const series = data[i];
      const clock = view.axis === "step" ? undefined : clocks.data[i];
      return series ? [{ run, line: lineOf(series, view, spec.settings, clock ? clockOf(clock) : NO_CLOCK) }] : [];
    });
    const first = lines[0];
    const isFirst = having[0]?.run.id === spread?.run && having[0]?.name === spec.name;
    const band = first && spread && isFirst ? bandOf(first, data[0], spread) : null;
    return { state: "lines", lines, band } as const;
  }, [ids, runs, data, clocks.data, view, spec.settings, spread]);
  if (failed) return { state: "failed", ...failed };
  if ((pending && drawn.lines.length === 0) || clocks.pending) return { state: "loading" };
  return having.length === 0 ? { state: "absent" } : drawn;
}

/** A run's line; one metric among several of a chart has a colour of its own, or dashes where colours tell runs apart. */
function drawnAs(run: ChartRun, runs: number, { name, origin }: SeriesInfo, place: number, metrics: number): ChartRun {
  if (metrics === 1) return run;
  const { title, detail } = titleOf(name, origin);
  const metric = detail === "" || detail === "mean" ? title : `${title}, ${detail}`;
  const id = `${run.id}\n${name}`;
  return runs === 1
    ? { id, name: metric, colour: RUN_COLOURS[place % RUN_COLOURS.length] as string }
    : { id, name: `${run.name} · ${metric}`, colour: run.colour, dash: place };
}

interface Spread {
  readonly run: string;
  readonly kind: "std" | "range";
  readonly series: readonly SeriesColumns[];
}

/** The statistics beside a field's mean that its band is drawn from, of the open run alone. */
function useBand(
  spec: ChartSpec,
  enabled: boolean,
  run: ChartRun | undefined,
  catalog: readonly SeriesInfo[] | undefined,
): Spread | null {
  const { band } = spec.settings;
  const base = /^(.+)\/mean$/.exec(spec.name)?.[1];
  const names = base && band !== "none" ? (band === "std" ? [`${base}/std`] : [`${base}/min`, `${base}/max`]) : [];
  const known = names.every((name) => catalog && entryNamed(catalog, name)?.field != null);
  const { data } = useQueries({
    queries: known && run ? names.map((name) => ({ ...seriesQuery(run.id, name, false), enabled })) : [],
    combine: combineSeries,
  });
  return useMemo(() => {
    const series = data.flatMap((each) => (each ? [each] : []));
    return run && band !== "none" && names.length > 0 && series.length === names.length
      ? { run: run.id, kind: band, series }
      : null;
  }, [data, run, band, names.length]);
}

/** Low and high at each place of the line that is drawn: its first step or outliers may be left out. */
function bandOf(
  { run, line }: RunLine,
  mean: SeriesColumns | null | undefined,
  { kind, series }: Spread,
): BandData | null {
  if (!mean) return null;
  const at = series.map(({ steps, values }) => new Map(steps.map((step, place) => [step, values[place] ?? null])));
  const means = new Map(mean.steps.map((step, place) => [step, mean.values[place] ?? null]));
  const ends = line.steps.map((step): [number | null, number | null] => {
    const [one, other] = at.map((values) => values.get(step) ?? null);
    if (kind === "range") return [one ?? null, other ?? null];
    const middle = means.get(step) ?? null;
    return one == null || middle === null ? [null, null] : [middle - one, middle + one];
  });
  return { run, x: line.x, low: ends.map(([low]) => low), high: ends.map(([, high]) => high) };
}

/** A heat map is of the open run alone: two on top of each other could not be told apart. */
function useHeat(spec: ChartSpec, enabled: boolean, catalog: readonly SeriesInfo[] | undefined): ChartData {
  const { runs, view } = useCharts();
  const run = runs[0];
  const source = catalog ? heatSource(catalog, spec.name) : null;
  const { data, error, isError, refetch } = useQuery({
    ...distributionQuery(run?.id ?? "", source?.field ?? "", source?.split ?? ""),
    enabled: enabled && run !== undefined && source !== null,
    structuralSharing: false,
  });
  const { ignoreFirst } = spec.settings;
  const drawn = useMemo(
    () =>
      data && run
        ? ({ state: "heat", run, heat: clipHeat(data, ignoreFirst, view.maxStep), source: data } as const)
        : null,
    [data, run, ignoreFirst, view.maxStep],
  );
  if (!run || !source) return { state: "absent" };
  if (isError && !drawn) return { state: "failed", error, retry: () => void refetch() };
  return drawn ?? { state: "loading" };
}
