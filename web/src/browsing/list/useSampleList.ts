/** A list of one step or of many: pages of groups (or samples) as they come into view, and the order keys move in. */

import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { groupsQuery, type ListQuery, samplesQuery } from "../../api/hooks";
import type { GroupPage, GroupRow, Progress, SamplePage, SampleRow } from "../../api/types";
import { groupKey, type OrderedGroup } from "../readingOrder";

export const PAGE_SIZE = 100;
/** Between two looks at which pages are in view: one who drags the scrollbar passes by hundreds. */
export const PAGES_MS = 150;
/** The most rows the server sends at once; the order of a longer list comes in several answers. */
const ORDER_SIZE = 10_000;

interface Paged {
  offset: number;
  progress: Progress;
}

interface Answers<P> {
  pages: P[];
  isPending: boolean;
  error: unknown;
}

/** A function of its own, so that the query library calls it only when an answer changes. */
function answersOf<P extends Paged>(results: UseQueryResult<P>[]): Answers<P> {
  return {
    pages: results.flatMap(({ data }) => (data ? [data] : [])),
    isPending: results[0]?.isPending !== false,
    error: results.find(({ error }) => error)?.error ?? null,
  };
}

function byPlace<R>(pages: readonly { offset: number; rows: readonly R[] }[]): ReadonlyMap<number, R> {
  const rows = new Map<number, R>();
  for (const { offset, rows: some } of pages) for (const [at, row] of some.entries()) rows.set(offset + at, row);
  return rows;
}

export interface GroupList {
  totalGroups: number;
  totalSamples: number;
  /** A group by its place; undefined while its page is on the way. */
  groupAt: (place: number) => GroupRow | undefined;
  observed: Readonly<Record<string, [number, number]>>;
  /** Samples in the largest group seen. */
  largest: number;
  progress: Progress | null;
  isPending: boolean;
  error: unknown;
}

export function useGroupList(
  run: string,
  list: ListQuery | null,
  columns: readonly string[],
  wanted: readonly number[],
): GroupList {
  const { pages, isPending, error } = useQueries({
    queries: list
      ? [...new Set([0, ...wanted])].map((page) => groupsQuery(run, list, columns, page * PAGE_SIZE, PAGE_SIZE))
      : [],
    combine: answersOf<GroupPage>,
  });
  return useMemo(() => {
    const rows = byPlace(pages);
    const first = pages[0];
    return {
      totalGroups: first?.total_groups ?? 0,
      totalSamples: first?.total_samples ?? 0,
      groupAt: (place) => rows.get(place),
      observed: first?.observed ?? {},
      largest: [...rows.values()].reduce((most, { samples }) => Math.max(most, samples.length), 1),
      progress: first?.progress ?? null,
      isPending,
      error,
    };
  }, [pages, isPending, error]);
}

const ordered = ({ group, step, samples }: GroupRow): OrderedGroup => ({ key: groupKey(group), step, samples });
const NOT_THERE_YET: OrderedGroup = { key: "", step: Number.NaN, samples: [] };

/** Every group with its samples' places, texts left out: what keys and deep links need of a long list. Over many steps
 * these are too many to ask for: there only groups in view are known, and the server says what lies around a sample. */
export function useOrder(run: string, list: ListQuery | null, groups: GroupList): readonly OrderedGroup[] {
  const total = groups.totalGroups;
  const isAcross = list?.steps !== undefined;
  const isLong = list !== null && total > PAGE_SIZE;
  const offsets =
    isLong && !isAcross ? Array.from({ length: Math.ceil(total / ORDER_SIZE) }, (_, page) => page * ORDER_SIZE) : [];
  const { pages } = useQueries({
    queries: list ? offsets.map((offset) => groupsQuery(run, list, ["reward"], offset, ORDER_SIZE, false)) : [],
    combine: answersOf<GroupPage>,
  });
  return useMemo(() => {
    if (isLong && !isAcross) return pages.flatMap(({ rows }) => rows.map(ordered));
    const known = Array.from({ length: total }, (_, place) => groups.groupAt(place));
    return isAcross
      ? known.map((row) => (row ? ordered(row) : NOT_THERE_YET))
      : known.flatMap((row) => (row ? [ordered(row)] : []));
  }, [isLong, isAcross, pages, groups, total]);
}

export interface FlatList {
  total: number;
  rowAt: (place: number) => SampleRow | undefined;
  /** Where a sample stands, if it is among those that were loaded. */
  placeOf: (address: string) => number | undefined;
  progress: Progress | null;
  isPending: boolean;
  error: unknown;
}

export function useFlatList(run: string, list: ListQuery | null, wanted: readonly number[]): FlatList {
  const { pages, isPending, error } = useQueries({
    queries: list
      ? [...new Set([0, ...wanted])].map((page) => samplesQuery(run, list, page * PAGE_SIZE, PAGE_SIZE))
      : [],
    combine: answersOf<SamplePage>,
  });
  return useMemo(() => {
    const rows = byPlace(pages);
    const places = new Map([...rows].map(([place, { address }]) => [address, place]));
    return {
      total: pages[0]?.total ?? 0,
      rowAt: (place) => rows.get(place),
      placeOf: (address) => places.get(address),
      progress: pages[0]?.progress ?? null,
      isPending,
      error,
    };
  }, [pages, isPending, error]);
}
