/** Questions to the server as hooks. Keys begin with ["run", id, …]: when a run grows, live.ts asks those again. */

import { keepPreviousData, type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { apiUrl, getJson, getText, type Query, runPath } from "./client";
import type {
  Distribution,
  GroupPage,
  ListCommands,
  Neighbours,
  PartSlice,
  RunDetails,
  RunInfo,
  Sample,
  SamplePage,
  SampleRow,
  SampleTokens,
  Series,
  SeriesInfo,
  StepCounts,
  StepRow,
} from "./types";

/** Parts longer than this come with their end only; the rest is fetched slice by slice as it is scrolled to. */
export const MAX_PART_CHARS = 60_000;

const inRun = <T>(run: string, what: string, query: Query = {}) =>
  queryOptions({
    queryKey: ["run", run, what, query] as const,
    queryFn: ({ signal }) => getJson<T>(runPath(run, what), query, signal),
  });

const runsQuery = () =>
  queryOptions({ queryKey: ["runs"], queryFn: ({ signal }) => getJson<RunInfo[]>("runs", {}, signal) });

export const runQuery = (run: string) => inRun<RunDetails>(run, "");
/** What the server sends of a list at most. */
const MOST_ROWS = 10_000;

/** All steps of a split: a long run has more than one answer holds. */
export async function allSteps(run: string, split: string, signal?: AbortSignal): Promise<StepRow[]> {
  const steps: StepRow[] = [];
  for (;;) {
    const page = { split, offset: steps.length, limit: MOST_ROWS };
    const more = await getJson<StepRow[]>(runPath(run, "steps"), page, signal);
    steps.push(...more);
    if (more.length < MOST_ROWS) return steps;
  }
}

/** With the split it is of: while another split's steps load, the old ones are still there. */
const stepsQuery = (run: string, split: string) =>
  queryOptions({
    queryKey: ["run", run, "steps", { split }] as const,
    queryFn: async ({ signal }) => ({
      split,
      steps: await allSteps(run, split, signal),
    }),
  });
export const catalogQuery = (run: string) => inRun<SeriesInfo[]>(run, "catalog");
export const seriesQuery = (run: string, names: readonly string[]) => inRun<Series[]>(run, "series", { name: names });
export const distributionQuery = (run: string, field: string, split: string) =>
  inRun<Distribution>(run, "distribution", { field, split });

export interface ListQuery {
  split: string;
  /** One step, or a range of them ("140:313", ":" for all). */
  step?: number | undefined;
  steps?: string | undefined;
  where?: string | undefined;
  sort?: string | undefined;
  /** false: kept samples; true: discarded ones; null: all. */
  discarded?: boolean | null;
}

const listParams = ({ where, discarded, ...rest }: ListQuery): Query => ({
  ...rest,
  where: where || null,
  discarded: discarded === null ? "all" : (discarded ?? false),
});

export const groupsQuery = (
  run: string,
  list: ListQuery,
  columns: readonly string[],
  offset: number,
  limit: number,
  preview = true,
) => inRun<GroupPage>(run, "groups", { ...listParams(list), columns, offset, limit, preview });

export const samplesQuery = (run: string, list: ListQuery, offset: number, limit: number) =>
  inRun<SamplePage>(run, "samples", { ...listParams(list), offset, limit, preview: true });

/** Samples of every split and step, kept and discarded, that match a filter. */
export const filteredSamplesQuery = (run: string, where: string, limit: number) =>
  inRun<SamplePage>(run, "samples", { where, discarded: "all", limit, preview: true });

export const sampleQuery = (run: string, address: string) =>
  inRun<Sample>(run, "sample", { address, max_chars: MAX_PART_CHARS, record: false });

export const stepCountsQuery = (run: string, { split, where, discarded }: ListQuery) =>
  inRun<StepCounts>(run, "step_counts", listParams({ split, where, discarded: discarded ?? false }));

/** The list as a command line and as Python. */
export const listCommands = (run: string, list: ListQuery) =>
  getJson<ListCommands>(runPath(run, "list_commands"), listParams(list));

/** Where the whole list is to be had as a file. */
export const exportUrl = (run: string, list: ListQuery, format: string, text: boolean) =>
  apiUrl(runPath(run, "export"), { ...listParams(list), format, text });

/** What is known of each token of a response, recorded and derived. */
export const tokensQuery = (run: string, address: string) => inRun<SampleTokens>(run, "tokens", { address });

/** In a list over several steps, `listed` says whether it is one of groups. */
export const neighboursQuery = (
  run: string,
  address: string,
  list: Partial<ListQuery>,
  listed: "samples" | "groups" = "samples",
) =>
  inRun<Neighbours>(run, "neighbours", {
    address,
    steps: list.steps ?? null,
    listed: list.steps ? listed : null,
    where: list.where || null,
    sort: list.sort,
    discarded: list.discarded === null ? "all" : (list.discarded ?? false),
  });

export const promptHistoryQuery = (run: string, address: string) =>
  inRun<SampleRow[]>(run, "prompt_history", { address });

/** Characters (code points) `start` to `end` of one part's text. */
export const partQuery = (
  run: string,
  address: string,
  message: number,
  part: number,
  { start, end }: { start: number; end: number },
) => inRun<PartSlice>(run, "part", { address, message, part, start, end });

/** The sample with its source record, as it was on disk. */
export const recordQuery = (run: string, address: string) =>
  inRun<Sample>(run, "sample", { address, max_chars: 1, record: true });

export const rawQuery = (run: string, address: string) =>
  queryOptions({
    queryKey: ["run", run, "raw", { address }] as const,
    queryFn: ({ signal }) => getText(runPath(run, "raw"), { address }, signal),
  });

export const useRuns = () => useQuery(runsQuery());

export const useRun = (run: string | null) => useQuery({ ...runQuery(run ?? ""), enabled: run !== null });

export const useSteps = (run: string | null, split: string | null) =>
  useQuery({
    ...stepsQuery(run ?? "", split ?? ""),
    enabled: run !== null && split !== null,
    placeholderData: keepPreviousData,
  });

export const useCatalog = (run: string | null) => useQuery({ ...catalogQuery(run ?? ""), enabled: run !== null });

/** The sample's text stays while the next one loads, so the page does not blink between them. */
export const useSample = (run: string | null, address: string | null) =>
  useQuery({
    ...sampleQuery(run ?? "", address ?? ""),
    enabled: run !== null && address !== null,
    placeholderData: keepPreviousData,
  });

export function prefetchSample(client: QueryClient, run: string, address: string | null): void {
  if (address) void client.prefetchQuery(sampleQuery(run, address));
}
