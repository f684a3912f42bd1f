/** Where one is in the list: the open sample, its neighbours in the order shown, and the pages the list needs. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { groupsQuery, type ListQuery, neighboursQuery, prefetchSample, sampleQuery } from "../api/hooks";
import { whenIdle } from "../lib/idle";
import { primaryField } from "../state/selection";
import { useSetting } from "../state/settings";
import { addressOf, parseAddress } from "../state/url";
import { go, show, useView } from "../state/view";
import { columnsSetting } from "./dots/dotColumns";
import { inGroup } from "./list/useOpenSamples";
import { type FlatList, type GroupList, useFlatList, useGroupList, useOrder } from "./list/useSampleList";
import { findPlace, groupKey, type OrderedGroup, target } from "./readingOrder";
import type { Browser } from "./useBrowser";

export interface Reading {
  list: ListQuery | null;
  columns: readonly string[];
  groups: GroupList;
  order: readonly OrderedGroup[];
  /** The open sample's group as far as the filter leaves it: what can be compared side by side. */
  mates: OrderedGroup | null;
  flat: FlatList;
  /** The open sample's place in its step. */
  sample: number | null;
  address: string | null;
  /** Samples the keys lead to; null at an end. */
  next: number | null;
  previous: number | null;
  nextGroup: number | null;
  previousGroup: number | null;
  /** "5 of 8": place and size of what one pages through (the group, or the flat list). */
  position: number | null;
  total: number;
  open: (sample: number) => void;
  setPages: (pages: number[]) => void;
}

export function useReading(browser: Browser): Reading {
  const view = useView();
  const client = useQueryClient();
  const [pages, setPages] = useState<number[]>([]);
  const [usual] = useSetting(columnsSetting);
  const run = browser.run?.id ?? "";
  const step = browser.step?.step ?? null;
  const { split } = browser;
  const isFlat = view.list === "samples";

  const list = useMemo<ListQuery | null>(
    () =>
      split === null || step === null
        ? null
        : { split, step, where: view.where, sort: view.sort, discarded: browser.query.discarded },
    [split, step, view.where, view.sort, browser.query.discarded],
  );
  const known = browser.details?.fields;
  const columns = useMemo(() => {
    if (!known) return view.columns ?? usual;
    const primary = primaryField(browser.step, known);
    const wanted =
      view.columns ?? (usual.includes(primary) ? usual : [primary, ...usual.filter((field) => field !== "reward")]);
    return wanted.filter((field) => known.includes(field));
  }, [view.columns, usual, known, browser.step]);

  const groups = useGroupList(run, isFlat || !known ? null : list, columns, pages);
  const order = useOrder(run, isFlat ? null : list, groups);
  const flat = useFlatList(run, isFlat ? list : null, pages);

  const first = isFlat ? (flat.rowAt(0)?.index ?? null) : (order[0]?.samples[0] ?? null);
  const inGroup = view.group === null ? undefined : order.find(({ key }) => key === view.group)?.samples[0];
  const sample = view.sample ?? inGroup ?? first;
  const address = split !== null && step !== null && sample !== null ? addressOf(split, step, sample) : null;

  // The view shown is the view in the address bar: what was chosen for the user is written there, without a stop for
  // the back button. Not while following: then the address means "the newest".
  useEffect(() => {
    if (view.step === "latest" || step === null || sample === null) return;
    if (view.step !== step || view.sample !== sample || view.run === null) {
      show({ ...view, run, step, sample, group: null }, { replace: true });
    }
  }, [view, run, step, sample]);

  const near = useQuery({
    ...neighboursQuery(run, address ?? "", list ?? {}),
    enabled: isFlat && address !== null,
  }).data;
  const place = useMemo(() => findPlace(order, sample), [order, sample]);
  const flatMates = useGroupOf(run, isFlat ? list : null, isFlat ? address : null);
  const mates = isFlat ? flatMates : place ? (order[place.group] ?? null) : null;
  const sampleOf = (other: string | null | undefined): number | null =>
    other ? (parseAddress(other)?.sample ?? null) : null;
  const next = isFlat ? sampleOf(near?.next) : target(order, place, "next-sample");
  const previous = isFlat ? sampleOf(near?.previous) : target(order, place, "previous-sample");
  const nextGroup = isFlat ? sampleOf(near?.next_group) : target(order, place, "next-group");
  const previousGroup = isFlat ? sampleOf(near?.previous_group) : target(order, place, "previous-group");

  // The samples the keys lead to are there before they are asked for; what was asked for is painted first.
  useEffect(() => {
    if (split === null || step === null) return;
    return whenIdle(() => {
      for (const other of [next, previous, nextGroup]) {
        if (other !== null) prefetchSample(client, run, addressOf(split, step, other));
      }
    });
  }, [client, run, split, step, next, previous, nextGroup]);

  const open = useCallback(
    (chosen: number) => go({ sample: chosen, ...(step === null ? {} : { step }), group: null }),
    [step],
  );
  const reading: Reading = {
    list,
    columns,
    groups,
    order,
    mates,
    flat,
    sample,
    address,
    next,
    previous,
    nextGroup,
    previousGroup,
    position: isFlat ? (near?.position ?? null) : (place?.sample ?? null),
    total: isFlat ? flat.total : place ? (order[place.group]?.samples.length ?? 0) : 0,
    open,
    setPages,
  }; // biome-ignore lint/correctness/useExhaustiveDependencies: its own values are what it depends on.
  return useMemo(() => reading, Object.values(reading));
}

/** The group that a sample of the flat list belongs to. Samples without a group have no mates. */
function useGroupOf(run: string, list: ListQuery | null, address: string | null): OrderedGroup | null {
  const opened = useQuery({ ...sampleQuery(run, address ?? ""), enabled: address !== null }).data;
  const group = opened?.address === address ? (opened?.group ?? null) : null;
  const { data } = useQuery({
    ...groupsQuery(run, inGroup(list ?? { split: "", step: 0 }, group), ["reward"], 0, 1, false),
    enabled: list !== null && group !== null,
  });
  return useMemo(() => {
    const row = group === null ? undefined : data?.rows[0];
    return row ? { key: groupKey(row.group), samples: row.samples } : null;
  }, [data, group]);
}
