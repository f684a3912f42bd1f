import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { useThrottled } from "../../ui/hooks/useThrottled";
import type { Spot } from "../readingOrder";
import { type Columns, SampleItem } from "./ListRow";
import { pagesFor } from "./listRows";
import { ListFailure, SAMPLE_HEIGHT } from "./SampleList";
import styles from "./SampleList.module.css";
import { bringIntoView } from "./scrollIntoList";
import { markKey, useListMarks } from "./useListMarks";
import type { FlatList } from "./useSampleList";
import { PAGE_SIZE, PAGES_MS } from "./useSampleList";

interface FlatSampleListProps {
  run: string;
  split: string;
  samples: FlatList;
  columns: Columns;
  /** The open sample's address. */
  current: string | null;
  /** The open sample's place in this list, as the server counts. */
  position: number | null;
  /** The list goes over many steps, and says of each sample which. */
  withStep: boolean;
  onOpen: (spot: Spot) => void;
  onPages: (pages: number[]) => void;
  onMove: (by: 1 | -1) => void;
  empty: ReactNode;
}

/** All samples of a step, or of many, in one order, without groups. */
export function FlatSampleList(props: FlatSampleListProps) {
  const { run, split, samples, columns, current, position, withStep, onOpen, onPages, onMove, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: samples.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => SAMPLE_HEIGHT,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const passing = pagesFor(items[0]?.index ?? 0, items.at(-1)?.index ?? 0, PAGE_SIZE).join();
  const marks = useListMarks(
    run,
    split,
    items.flatMap(({ index }) => samples.rowAt(index)?.step ?? []),
  );
  const pages = useThrottled(passing, PAGES_MS);
  useEffect(() => onPages(pages.split(",").map(Number)), [pages, onPages]);
  useEffect(() => {
    if (position !== null) bringIntoView(virtual, position);
  }, [position, virtual]);

  if (samples.error) return <ListFailure error={samples.error} />;
  if (!samples.isPending && samples.total === 0) return <>{empty}</>;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    onMove(event.key === "ArrowDown" ? 1 : -1);
  };
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="listbox"
      aria-label="Samples"
      tabIndex={0}
      aria-activedescendant={current === null ? undefined : flatId(current)}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtual.getTotalSize() }} className={styles.all}>
        {items.map(({ index, start }) => {
          const row = samples.rowAt(index);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox has the focus and handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: options of a focused listbox.
            <div
              key={index}
              id={row ? flatId(row.address) : undefined}
              role="option"
              aria-selected={row !== undefined && row.address === current}
              aria-setsize={samples.total}
              aria-posinset={index + 1}
              className={styles.sample}
              data-flat=""
              data-across={withStep || undefined}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => row && onOpen({ step: row.step, sample: row.index })}
            >
              {row ? (
                <SampleItem
                  index={row.index}
                  row={row}
                  columns={columns}
                  withGroup
                  withStep={withStep}
                  mark={marks.get(markKey(row.step, row.index))}
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

const flatId = (address: string): string => `flat-${address}`;
