/** Questions about what is worth reading and what changed. Texts are read for them: they may take seconds. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { jsonLines } from "../lib/jsonLines";
import { apiUrl, getJson, request, runPath } from "./client";
import type {
  Contrast,
  FeatureReport,
  FindingDetail,
  FindingMarks,
  FindingName,
  FindingsReport,
  GroupTree,
  Hit,
  InsightCommand,
  PromptOverSteps,
  RunComparison,
  SampleDiff,
  SampleFindings,
  SamplePage,
  ScatterPoints,
  TokenSteps,
} from "./types";

/** They are not asked again by themselves when a live run grows: a table that changes while one reads it is no help. */
const asked = <T>(run: string, what: string, query: Record<string, string | null>) =>
  queryOptions({
    queryKey: ["insights", run, what, query] as const,
    queryFn: ({ signal }) => getJson<T>(runPath(run, what), query, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });

interface ContrastFor {
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
  asked<RunComparison>(run, "compare", {
    other,
    split,
    where: where || null,
    limit: "500",
    rewards: "16",
    golden: "true",
  });

export const groupTreeQuery = (run: string, address: string) => asked<GroupTree>(run, "group_tree", { address });

export const diffQuery = (run: string, a: string, b: string, other: string | null) =>
  asked<SampleDiff>(run, "diff", { a, b, other });

/** What findings mean in the list and in the open sample. While features are computed, it is asked again. */
export const marksQuery = (run: string, split: string, steps: readonly string[]) =>
  queryOptions({
    queryKey: ["insights", run, "marks", split, steps] as const,
    queryFn: ({ signal }) => getJson<FindingMarks>(runPath(run, "findings/marks"), { split, step: steps }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.ready === false ? NOT_READY_MS : false),
    retry: false,
  });

export const sampleFindingsQuery = (run: string, address: string) =>
  queryOptions({
    queryKey: ["insights", run, "sample", address] as const,
    queryFn: ({ signal }) => getJson<SampleFindings>(runPath(run, "findings/sample"), { address }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.ready === false ? NOT_READY_MS : false),
    retry: false,
  });

const NOT_READY_MS = 4000;

export const findingDetailQuery = (run: string, { split, kind, where }: FindingName) =>
  asked<FindingDetail>(run, "findings/detail", { split, kind, where });

/** How far the texts are read: asked while one waits. */
export const featuresQuery = (run: string) =>
  queryOptions({
    queryKey: ["insights", run, "features"] as const,
    queryFn: ({ signal }) => getJson<FeatureReport>(runPath(run, "features"), {}, signal),
    refetchInterval: 1000,
    retry: false,
  });

/** How many samples a filter selects. */
export const filteredCountQuery = (run: string, split: string | null, where: string, discarded = "0") =>
  queryOptions({
    queryKey: ["run", run, "samples", "count", split, where, discarded] as const,
    queryFn: ({ signal }) =>
      getJson<SamplePage>(runPath(run, "samples"), { split, where: where || null, discarded, limit: 1 }, signal),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** A few samples that a phrase's filter selects, each with the words around the phrase. */
export const phraseHitsQuery = (run: string, where: string) =>
  queryOptions({
    queryKey: ["run", run, "search", "phrase", where] as const,
    queryFn: async ({ signal }) => {
      const asked = phrasePattern(where);
      if (!asked) return [];
      const { field, pattern } = asked;
      const query = { q: pattern, regex: true, ignore_case: true, fields: [field], limit: 12 };
      const { body } = await request(apiUrl(runPath(run, "search"), query), { signal });
      const hits: Hit[] = [];
      if (body) for await (const line of jsonLines(body)) if ("address" in (line as object)) hits.push(line as Hit);
      return hits;
    },
    retry: false,
  });

/** What a phrase's filter looks for: the server writes it as `FIELD matches /PATTERN/i`. */
function phrasePattern(where: string): { field: string; pattern: string } | null {
  const [, field, pattern] = /^(\w+) matches \/(.*)\/i$/s.exec(where) ?? [];
  return field === undefined || pattern === undefined ? null : { field, pattern: pattern.replaceAll("\\/", "/") };
}

export const findingsQuery = (run: string) => asked<FindingsReport>(run, "findings/report", {});

interface ScatterFor {
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

/** What a view of insights shows, as the command that prints it. */
export const insightCommand = (run: string, name: string, words: readonly string[], other: string | null) =>
  getJson<InsightCommand>(runPath(run, "insight_command"), { name, word: words, other });

/** The same prompt over all steps of all runs that are open. */
export const promptQuery = (run: string, address: string) =>
  asked<PromptOverSteps>(run, "prompt", { address, all: "1" });

export const tokenStepsQuery = (run: string, split: string, where: string, value: string) =>
  asked<TokenSteps>(run, "token_steps", { split, where: where || null, value });
