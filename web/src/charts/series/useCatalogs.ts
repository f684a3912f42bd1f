import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { catalogQuery } from "../../api/hooks";
import type { SeriesInfo } from "../../api/types";
import type { ChartRun } from "../ChartsContext";

/** What the runs of a page have, in the runs' order. */
export interface Catalogs {
  readonly data: readonly (readonly SeriesInfo[] | undefined)[];
  readonly pending: boolean;
  readonly failed: { readonly error: unknown; readonly retry: () => void } | null;
}

/** One question a run, whatever the number of charts. */
export function useCatalogs(runs: readonly ChartRun[]): Catalogs {
  return useQueries({ queries: runs.map((run) => catalogQuery(run.id)), combine });
}

function combine(results: UseQueryResult<SeriesInfo[]>[]): Catalogs {
  const failed = results.find((result) => result.isError && result.data === undefined);
  return {
    data: results.map((result) => result.data),
    pending: results.some((result) => result.isLoading),
    failed: failed ? { error: failed.error, retry: () => void failed.refetch() } : null,
  };
}
