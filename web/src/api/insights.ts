/** Questions about what is worth reading and what changed. Texts are read for them: they may take seconds. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getJson, runPath } from "./client";
import type { Contrast, FindingsReport, GroupTree, RunComparison, SampleDiff, ScatterPoints } from "./types";

/** They are not asked again by themselves when a live run grows: a table that changes while one reads it is no help. */
const asked = <T>(run: string, what: string, query: Record<string, string | null>) =>
  queryOptions({
    queryKey: ["insights", run, what, query] as const,
    queryFn: ({ signal }) => getJson<T>(runPath(run, what), query, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });

export interface ContrastFor {
  readonly a: string;
  readonly b: string;
  /** Another run that `b` is of. */
  readonly other: string | null;
  readonly field: string;
}

export const contrastQuery = (run: string, { a, b, other, field }: ContrastFor) =>
  asked<Contrast>(run, "contrast", { a: a || null, b: b || null, other, field, limit: "40" });

export const changesQuery = (run: string, field: string) => asked<Contrast>(run, "changes", { field, limit: "40" });

export const compareRunsQuery = (run: string, other: string, split: string | null, where: string) =>
  asked<RunComparison>(run, "compare", { other, split, where: where || null, limit: "500" });

export const groupTreeQuery = (run: string, address: string) => asked<GroupTree>(run, "group_tree", { address });

export const diffQuery = (run: string, a: string, b: string, other: string | null) =>
  asked<SampleDiff>(run, "diff", { a, b, other });

export const findingsQuery = (run: string) => asked<FindingsReport>(run, "findings/report", {});

export interface ScatterFor {
  readonly split: string;
  /** "140:313"; null: all. */
  readonly steps: string | null;
  readonly where: string;
  readonly discarded: boolean;
  /** undefined: as the server has it, the reward by the length. */
  readonly x: string | undefined;
  readonly y: string | undefined;
}

/** Its key is one of the run's questions: scalars are quickly had, so it is asked again when the run grows. */
export const scatterQuery = (run: string, { where, discarded, ...rest }: ScatterFor) => {
  const query = { ...rest, where: where || null, discarded };
  return queryOptions({
    queryKey: ["run", run, "scatter", query] as const,
    queryFn: ({ signal }) => getJson<ScatterPoints>(runPath(run, "scatter"), query, signal),
    placeholderData: keepPreviousData,
    retry: false,
  });
};
