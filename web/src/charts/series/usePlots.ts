import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { catalogQuery } from "../../api/hooks";
import type { SeriesInfo } from "../../api/types";
import type { ChartRun } from "../ChartsContext";
import { type PlotEntry, plotsOf } from "./catalog";

interface Plots {
  readonly plots: readonly PlotEntry[];
  readonly loading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

const combine = (results: UseQueryResult<SeriesInfo[]>[]) => ({
  catalogs: results.flatMap((result) => (result.data ? [result.data] : [])),
  loading: results.some((result) => result.isLoading),
  failed: results.find((result) => result.isError && result.data === undefined) ?? null,
});

/** Everything the runs can draw: one catalog for the Metrics page, the sidebar and dashboards. */
export function usePlots(runs: readonly ChartRun[]): Plots {
  const { catalogs, loading, failed } = useQueries({ queries: runs.map((run) => catalogQuery(run.id)), combine });
  const plots = useMemo(() => plotsOf(catalogs), [catalogs]);
  return { plots, loading, error: failed?.error ?? null, retry: () => void failed?.refetch() };
}
