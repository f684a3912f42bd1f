import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { isFilterMistake } from "../../api/client";
import type { ListQuery } from "../../api/hooks";
import { addressOf } from "../../state/url";
import { go } from "../../state/view";
import { Button } from "../../ui/Button";
import { useThrottled } from "../../ui/hooks/useThrottled";
import { Empty, Failure } from "../../ui/States";
import type { OrderedGroup, Place, Spot } from "../readingOrder";
import { spotIn } from "../readingOrder";
import { type Columns, GroupItem, SampleItem } from "./ListRow";
import { groupRows, pagesFor, type Row } from "./listRows";
import styles from "./SampleList.module.css";
import { bringIntoView } from "./scrollIntoList";
import { groupMark, markKey, useListMarks } from "./useListMarks";
import { useOpenSamples } from "./useOpenSamples";
import type { GroupList } from "./useSampleList";
import { PAGE_SIZE, PAGES_MS } from "./useSampleList";

const GROUP_HEIGHT = 49;
export const SAMPLE_HEIGHT = 28;

interface SampleListProps {
  run: string;
  list: ListQuery;
  groups: GroupList;
  order: readonly OrderedGroup[];
  columns: Columns;
  /** The open sample, and where it stands in the list. */
  current: Spot | null;
  place: Place | null;
  onOpen: (spot: Spot) => void;
  onPages: (pages: number[]) => void;
  empty: ReactNode;
}

/** Groups of one step or of many, each opening into its samples. Draws only what is in view, asks only for pages it needs. */
export function SampleList(props: SampleListProps) {
  const { run, list, groups, order, columns, current, place, onOpen, onPages, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const scope = `${run} ${list.split} ${list.step ?? list.steps}`;
  const { openPlaces, toggle } = useOpenGroups(order, place?.group ?? null, scope);
  const rows = useMemo(() => groupRows(groups.totalGroups, openPlaces), [groups.totalGroups, openPlaces]);
  const [cursor, setCursor] = useState<Row | null>(null);

  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: (row) => (rows.at(row).kind === "group" ? GROUP_HEIGHT : SAMPLE_HEIGHT),
    overscan: 5,
  });
  // Heights belong to row numbers: when groups open or close, other rows have those numbers.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rows` is the reason to measure again.
  useEffect(() => virtual.measure(), [rows, virtual]);

  const items = virtual.getVirtualItems();
  const seen = items.map(({ index }) => rows.at(index));
  const samples = useOpenSamples(run, list, seen, groups);
  const marks = useListMarks(
    run,
    list.split,
    seen.flatMap((row) => order[row.group]?.step ?? groups.groupAt(row.group)?.step ?? []),
  );
  const firstGroup = seen[0]?.group ?? 0;
  const lastGroup = seen.at(-1)?.group ?? 0;
  const pages = useThrottled(pagesFor(firstGroup, lastGroup, PAGE_SIZE).join(), PAGES_MS);
  useEffect(() => onPages(pages ? pages.split(",").map(Number) : []), [pages, onPages]);

  const currentRow = place ? rows.of(place.group, place.sample) : null;
  useEffect(() => {
    if (currentRow !== null) bringIntoView(virtual, currentRow);
  }, [currentRow, virtual]);

  if (groups.error) return <ListFailure error={groups.error} />;
  if (groups.isPending) return <ListSkeleton />;
  if (groups.totalGroups === 0) return <>{empty}</>;

  const spotOf = (row: Row): Spot | null => (row.kind === "sample" ? spotIn(order[row.group], row.nth) : null);
  const act = (row: Row): void => {
    const spot = spotOf(row);
    if (spot) onOpen(spot);
    else toggle(row.group);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = cursor ? rows.of(cursor.group, cursor.kind === "sample" ? cursor.nth : undefined) : currentRow;
    const to = { ArrowDown: (at ?? -1) + 1, ArrowUp: (at ?? 1) - 1, Home: 0, End: rows.count - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const row = rows.at(Math.min(rows.count - 1, Math.max(0, to)));
      setCursor(row);
      virtual.scrollToIndex(rows.of(row.group, row.kind === "sample" ? row.nth : undefined), { align: "auto" });
      const spot = spotOf(row);
      if (spot) onOpen(spot);
    } else if ((event.key === "Enter" || event.key === " ") && cursor) {
      event.preventDefault();
      act(cursor);
    }
  };
  const cursorId = cursor
    ? rowId(cursor)
    : place
      ? rowId({ kind: "sample", group: place.group, nth: place.sample })
      : undefined;

  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="tree"
      aria-label="Groups and samples"
      tabIndex={0}
      aria-activedescendant={cursorId}
      onKeyDown={onKeyDown}
      onBlur={() => setCursor(null)}
    >
      <div style={{ height: virtual.getTotalSize() }} className={styles.all}>
        {items.map(({ index, start }) => {
          const row = rows.at(index);
          const group = groups.groupAt(row.group);
          const spot = spotOf(row);
          const isCurrent =
            row.kind === "sample"
              ? spot !== null && spot.sample === current?.sample && spot.step === current.step
              : place?.group === row.group;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: rows are the tree's active descendants.
            <div
              key={rowId(row)}
              id={rowId(row)}
              role="treeitem"
              aria-level={row.kind === "group" ? 1 : 2}
              aria-expanded={row.kind === "group" ? openPlaces.has(row.group) : undefined}
              aria-selected={isCurrent}
              className={row.kind === "group" ? styles.group : styles.sample}
              data-cursor={rowId(row) === cursorId && cursor !== null ? "" : undefined}
              style={{ transform: `translateY(${start}px)` }}
              onClick={(event) => {
                const dot = (event.target as HTMLElement).dataset.sample;
                if (dot !== undefined && group) onOpen({ step: group.step, sample: Number(dot) });
                else act(row);
              }}
            >
              {row.kind === "sample" ? (
                <SampleItem
                  index={spot?.sample ?? -1}
                  row={spot ? samples.get(addressOf(list.split, spot.step, spot.sample)) : undefined}
                  columns={columns}
                  mark={spot ? marks.get(markKey(spot.step, spot.sample)) : undefined}
                />
              ) : group ? (
                <GroupItem
                  row={group}
                  open={openPlaces.has(row.group)}
                  columns={columns}
                  current={isCurrent ? (current?.sample ?? null) : null}
                  withStep={list.steps !== undefined}
                  mark={openPlaces.has(row.group) ? null : groupMark(marks, group.step, group.samples)}
                />
              ) : (
                <span className={styles.ghost} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const rowId = (row: Row): string => (row.kind === "group" ? `group-${row.group}` : `sample-${row.group}-${row.nth}`);

/** Which groups are open: the one being read, and those the user opened; not the ones the user closed. */
function useOpenGroups(order: readonly OrderedGroup[], reading: number | null, scope: string) {
  const [choices, setChoices] = useState<{ scope: string; byKey: ReadonlyMap<string, boolean> }>({
    scope,
    byKey: new Map(),
  });
  const byKey = choices.scope === scope ? choices.byKey : NONE;
  const openPlaces = useMemo(() => {
    const open = new Map<number, number>();
    order.forEach((group, at) => {
      if (group.samples.length > 0 && (byKey.get(openKey(group)) ?? at === reading)) open.set(at, group.samples.length);
    });
    return open;
  }, [order, byKey, reading]);
  const toggle = (at: number): void => {
    const group = order[at];
    if (group) setChoices({ scope, byKey: new Map(byKey).set(openKey(group), !openPlaces.has(at)) });
  };
  return { openPlaces, toggle };
}

const openKey = ({ step, key }: OrderedGroup): string => `${step} ${key}`;
const NONE: ReadonlyMap<string, boolean> = new Map();

function ListSkeleton() {
  return (
    <div className={styles.scroller} role="status" aria-label="Loading the list">
      {Array.from({ length: 12 }, (_, row) => (
        <div key={row} className={styles.waiting}>
          <span className={styles.ghost} />
        </div>
      ))}
    </div>
  );
}

/** A mistake in the filter is told beside the filter; here it is enough that there is no list. */
export function ListFailure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return isFilterMistake(error) ? (
    <Empty icon="filter" title="The filter has a mistake" />
  ) : (
    <Failure error={error} onRetry={onRetry} />
  );
}

export function EmptyList({ where, what, across }: { where: string; what: string; across: boolean }) {
  const place = across ? "these steps" : "this step";
  return where ? (
    <Empty icon="filter" title="Nothing matches the filter">
      <p>
        No {what} of {place} matches <code>{where}</code>.
      </p>
      <p>
        <Button onClick={() => go({ where: "" })}>Clear the filter</Button>
      </p>
    </Empty>
  ) : (
    <Empty title={`No ${what} in ${place}`} />
  );
}
