/** Where one is in the list: the open sample, its neighbours in the order shown, and the pages the list needs. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { fieldsShownIn } from "../api/fields";
import { groupsQuery, type ListQuery, neighboursQuery, prefetchSample, sampleQuery } from "../api/hooks";
import { whenIdle } from "../lib/idle";
import type { Action } from "../state/keys";
import { primaryField } from "../state/selection";
import { useSetting } from "../state/settings";
import { addressOf, parseAddress } from "../state/url";
import { go, show, useView } from "../state/view";
import { columnsSetting } from "./dots/dotColumns";
import { inGroup } from "./list/useOpenSamples";
import { type FlatList, type GroupList, useFlatList, useGroupList, useOrder } from "./list/useSampleList";
import { findPlace, groupKey, type OrderedGroup, type Place, type Spot, spotIn, target } from "./readingOrder";
import type { Browser } from "./useBrowser";

export interface Reading {
  list: ListQuery | null;
  /** Whether the list goes over many steps. */
  isAcross: boolean;
  columns: readonly string[];
  groups: GroupList;
  order: readonly OrderedGroup[];
  /** The open sample's group as far as the filter leaves it: what can be compared side by side. */
  mates: OrderedGroup | null;
  flat: FlatList;
  /** The open sample, and where it stands among the groups. */
  spot: Spot | null;
  place: Place | null;
  address: string | null;
  /** Samples the keys lead to; null at an end. */
  next: Spot | null;
  previous: Spot | null;
  nextGroup: Spot | null;
  previousGroup: Spot | null;
  /** Over many steps: opens the first listed sample of the step before or after. */
  openStep: (which: "next_step" | "previous_step") => void;
  /** "5 of 8": place and size of what one pages through (the group, or the flat list). */
  position: number | null;
  total: number;
  open: (spot: Spot) => void;
  setPages: (pages: number[]) => void;
}

export function useReading(browser: Browser): Reading {
  const view = useView();
  const client = useQueryClient();
  const [pages, setPages] = useState<number[]>([]);
  const [chosen] = useSetting(columnsSetting);
  const run = browser.run?.id ?? "";
  const step = browser.step?.step ?? null;
  const { split } = browser;
  const isFlat = view.list === "samples";
  const { steps } = view;
  const isAcross = steps !== null;
  // A list over many steps is the same whichever step is being read.
  const listStep = isAcross ? null : step;

  const list = useMemo<ListQuery | null>(() => {
    if (split === null || (steps === null && listStep === null)) return null;
    const which = steps === null ? { step: listStep ?? undefined } : { steps: steps === "all" ? ":" : steps };
    return { split, ...which, where: view.where, sort: view.sort, discarded: browser.query.discarded };
  }, [split, steps, listStep, view.where, view.sort, browser.query.discarded]);
  const known = browser.details?.fields;
  const columns = useMemo(() => {
    const usual = chosen ?? fieldsShownIn("dots").map(({ name }) => name);
    if (!known) return view.columns ?? usual;
    const primary = primaryField(browser.step, known);
    const wanted =
      view.columns ?? (usual.includes(primary) ? usual : [primary, ...usual.filter((field) => field !== "reward")]);
    return wanted.filter((field) => known.includes(field));
  }, [view.columns, chosen, known, browser.step]);

  const groups = useGroupList(run, isFlat || !known ? null : list, columns, pages);
  const order = useOrder(run, isFlat ? null : list, groups);
  const flat = useFlatList(run, isFlat ? list : null, pages);

  const row = flat.rowAt(0);
  const first = isFlat ? (row ? { step: row.step, sample: row.index } : null) : spotIn(order[0], 0);
  const inGroup =
    view.group === null
      ? null
      : spotIn(
          order.find(({ key }) => key === view.group),
          0,
        );
  const askedStep = isAcross ? (typeof view.step === "number" ? view.step : null) : step;
  const asked = view.sample !== null && askedStep !== null ? { step: askedStep, sample: view.sample } : null;
  const spot = useSame(asked ?? inGroup ?? first);
  const address = split !== null && spot !== null ? addressOf(split, spot.step, spot.sample) : null;

  // The view shown is the view in the address bar: what was chosen for the user is written there, without a stop for
  // the back button. Not while following: then the address means "the newest".
  useEffect(() => {
    if ((view.step === "latest" && !isAcross) || spot === null) return;
    if (view.step !== spot.step || view.sample !== spot.sample || view.run === null) {
      show({ ...view, run, ...spot, group: null }, { replace: true });
    }
  }, [view, run, isAcross, spot]);

  const asksServer = isFlat || isAcross;
  const around = useQuery({
    ...neighboursQuery(run, address ?? "", list ?? {}, isFlat ? "samples" : "groups"),
    enabled: asksServer && address !== null && list !== null,
    placeholderData: keepPreviousData,
  });
  // What lay around the sample before holds its place in the list until the new one is known; it leads nowhere. Rows that
  // are in view lead on before the server has said anything.
  const near = asksServer ? around.data : undefined;
  const leads = around.isPlaceholderData ? undefined : near;
  const listed = useMemo(() => findPlace(order, spot), [order, spot]);
  const { group_place: groupPlace, place_in_group: placeInGroup } = near ?? {};
  const place = useMemo(() => {
    if (listed || groupPlace == null || placeInGroup == null) return listed;
    return { group: groupPlace, sample: placeInGroup };
  }, [listed, groupPlace, placeInGroup]);
  const askedMates = useGroupOf(run, asksServer ? list : null, asksServer ? address : null, spot?.step ?? 0);
  const mates = asksServer ? askedMates : place ? (order[place.group] ?? null) : null;
  const flatPlace = isFlat && address !== null ? flat.placeOf(address) : undefined;
  const beside = (by: 1 | -1): string | undefined =>
    flatPlace === undefined ? undefined : flat.rowAt(flatPlace + by)?.address;
  const move = (other: string | null | undefined, action: Action): Spot | null =>
    asksServer ? spotAt(other) : target(order, place, action);
  const next = useSame(move(beside(1) ?? leads?.next, "next-sample"));
  const previous = useSame(move(beside(-1) ?? leads?.previous, "previous-sample"));
  const nextGroup = useSame(move(leads?.next_group, "next-group"));
  const previousGroup = useSame(move(leads?.previous_group, "previous-group"));

  // The samples the keys lead to are there before they are asked for; what was asked for is painted first.
  useEffect(() => {
    if (split === null) return;
    return whenIdle(() => {
      for (const other of [next, previous, nextGroup]) {
        if (other !== null) prefetchSample(client, run, addressOf(split, other.step, other.sample));
      }
    });
  }, [client, run, split, next, previous, nextGroup]);

  const open = useCallback(({ step, sample }: Spot) => go({ step, sample, group: null }), []);
  const openStep = useCallback(
    async (which: "next_step" | "previous_step"): Promise<void> => {
      if (address === null || list === null) return;
      const kind = isFlat ? "samples" : "groups";
      const to = spotAt((await client.ensureQueryData(neighboursQuery(run, address, list, kind)))[which]);
      if (to) open(to);
    },
    [client, run, address, list, isFlat, open],
  );
  const reading: Reading = {
    list,
    isAcross,
    columns,
    groups,
    order,
    mates,
    flat,
    spot,
    place,
    address,
    next,
    previous,
    nextGroup,
    previousGroup,
    openStep,
    position: isFlat ? (flatPlace ?? near?.position ?? null) : (place?.sample ?? null),
    total: isFlat ? flat.total : place ? order[place.group]?.samples.length || near?.group_samples || 0 : 0,
    open,
    setPages,
  }; // biome-ignore lint/correctness/useExhaustiveDependencies: its own values are what it depends on.
  return useMemo(() => reading, Object.values(reading));
}

function spotAt(address: string | null | undefined): Spot | null {
  const place = address ? parseAddress(address) : null;
  return place && { step: place.step, sample: place.sample };
}

/** The same sample as before is the same object: lists and rows are drawn again when it changes, not with every answer. */
function useSame(spot: Spot | null): Spot | null {
  const { step, sample } = spot ?? {};
  return useMemo(() => (step === undefined || sample === undefined ? null : { step, sample }), [step, sample]);
}

/** The group that a sample of the flat list belongs to. Samples without a group have no mates. */
function useGroupOf(run: string, list: ListQuery | null, address: string | null, step: number): OrderedGroup | null {
  const opened = useQuery({ ...sampleQuery(run, address ?? ""), enabled: address !== null }).data;
  const group = opened?.address === address ? (opened?.group ?? null) : null;
  const { data } = useQuery({
    ...groupsQuery(run, inGroup(list ?? { split: "" }, step, group), ["reward"], 0, 1, false),
    enabled: list !== null && group !== null,
  });
  return useMemo(() => {
    const row = group === null ? undefined : data?.rows[0];
    return row ? { key: groupKey(row.group), step: row.step, samples: row.samples } : null;
  }, [data, group]);
}
