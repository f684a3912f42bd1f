/** The rows of samples in opened groups, page by page as they come into view. */

import { useQueries } from "@tanstack/react-query";
import { type ListQuery, samplesQuery } from "../../api/hooks";
import type { SamplePage, SampleRow } from "../../api/types";
import { groupFilter } from "../../state/selection";
import { pagesFor, type Row } from "./listRows";
import type { GroupList } from "./useSampleList";
import { PAGE_SIZE } from "./useSampleList";

/** Samples in view, by their address. */
export function useOpenSamples(
  run: string,
  list: ListQuery,
  seen: readonly Row[],
  groups: GroupList,
): ReadonlyMap<string, SampleRow> {
  const wanted = new Map<string, { step: number; group: number | string | null; page: number }>();
  for (const row of seen) {
    if (row.kind !== "sample") continue;
    const group = groups.groupAt(row.group);
    if (!group) continue;
    for (const page of pagesFor(row.nth, row.nth, PAGE_SIZE))
      wanted.set(`${row.group} ${page}`, { step: group.step, group: group.group, page });
  }
  return useQueries({
    queries: [...wanted.values()].map(({ step, group, page }) =>
      samplesQuery(run, inGroup(list, step, group), page * PAGE_SIZE, PAGE_SIZE),
    ),
    combine: byPlace,
  });
}

/** Inside a group "spread" and "step" have no meaning: there samples stand by their index. */
export function inGroupOrder(sort: string | undefined): string | undefined {
  return /spread$|^-?step$/.test(sort ?? "") ? "index" : sort;
}

export function inGroup(list: ListQuery, step: number, group: number | string | null): ListQuery {
  return {
    ...list,
    step,
    steps: undefined,
    sort: inGroupOrder(list.sort),
    where: groupFilter(list.where ?? "", group),
  };
}

function byPlace(results: readonly { data?: SamplePage | undefined }[]): ReadonlyMap<string, SampleRow> {
  return new Map(results.flatMap(({ data }) => data?.rows ?? []).map((row) => [row.address, row]));
}
