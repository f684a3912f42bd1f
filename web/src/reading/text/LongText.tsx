import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef } from "react";
import { partQuery } from "../../api/hooks";
import { formatCount } from "../../lib/numbers";
import { useSetting } from "../../state/settings";
import styles from "./LongText.module.css";
import { longTextSetting } from "./renderSettings";
import {
  byPoints,
  estimateHeight,
  SEGMENT_CHARS,
  type ShownSegment,
  segmentCount,
  segmentRequest,
  shownSegment,
} from "./segments";

interface LongTextProps {
  /** The text, or as much of its end as the page has. */
  text: string;
  /** The length of the whole in characters (code points); 0: the page has it all. */
  chars: number;
  /** Where to ask for the rest. */
  run: string;
  address: string;
  message: number;
  part: number;
  /** A character that is to be seen; null: none, it opens where it usually does. */
  at?: number | null;
}

/** A text of any length: only the segments in view are fetched and drawn. It is shown as it is, without formatting. */
export function LongText({ text, chars, run, address, message, part, at = null }: LongTextProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [{ openAtEnd }] = useSetting(longTextSetting);
  const points = useMemo(() => byPoints(text), [text]);
  const length = Math.max(chars, points.length);
  /** Where what the page has begins. */
  const known = length - points.length;
  const count = segmentCount(length);
  const height = estimateHeight(Math.min(length, SEGMENT_CHARS), 110, 20);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // Drawn there at once, not at the beginning first.
    initialOffset: openAtEnd ? height * count : 0,
    overscan: 1,
  });
  const items = virtual.getVirtualItems();
  const fetched = useQueries({
    queries: items.map(({ index }) => {
      const request = segmentRequest(index, length);
      return { ...partQuery(run, address, message, part, request), enabled: request.start < known };
    }),
  });
  const textOf = (index: number, nth: number): ShownSegment | null => {
    const { start, end } = segmentRequest(index, length);
    const raw = start < known ? fetched[nth]?.data?.text : points.text(start - known, end - known);
    return raw === undefined ? null : shownSegment(raw, index, length);
  };
  const total = virtual.getTotalSize();
  /** How far down it was moved, as long as it is to stay at its end; null: somebody scrolled up, or it opens elsewhere. */
  const atEnd = useRef<number | null>(null);
  // Before the first paint, so that the beginning never flashes by.
  useLayoutEffect(() => {
    atEnd.current = openAtEnd && at === null ? 0 : null;
    if (at !== null) virtual.scrollToIndex(Math.min(count - 1, Math.floor(at / SEGMENT_CHARS)), { align: "start" });
  }, [virtual, count, openAtEnd, at]);
  // Segments turn out higher than estimated one after the other. The virtualizer's own way to the end gives up when it
  // takes a late event of its own scrolling for the reader's, which happens on a busy machine.
  const toEnd = (): void => {
    const box = scroller.current;
    if (!box || atEnd.current === null) return;
    box.scrollTop = box.scrollHeight;
    atEnd.current = box.scrollTop;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are the reasons to go to the end again.
  useLayoutEffect(toEnd, [total, openAtEnd, at]);
  // Only a reader scrolls up from there. Seen before the virtualizer makes up for what turns out higher above.
  const onScroll = (): void => {
    const box = scroller.current;
    if (!box || atEnd.current === null) return;
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
    if (box.scrollTop < atEnd.current && !isAtEnd) atEnd.current = null;
    else toEnd();
  };
  const release = (): void => {
    atEnd.current = null;
  };

  return (
    <>
      <p className={styles.note}>
        {formatCount(length)} characters: shown as plain text, loaded as you scroll. Find them with Raw.
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: these only notice that somebody scrolls. */}
      <div
        ref={scroller}
        className={styles.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        onScrollCapture={onScroll}
        onWheel={release}
        onPointerDown={release}
        onTouchMove={release}
        onKeyDown={release}
      >
        <div style={{ height: total }} className={styles.all}>
          {items.map(({ index, start, size }, nth) => {
            const shown = textOf(index, nth);
            return (
              <div
                key={index}
                ref={shown === null ? undefined : virtual.measureElement}
                data-index={index}
                data-from={shown?.from}
                className={styles.segment}
                style={{ transform: `translateY(${start}px)`, minHeight: shown === null ? size : undefined }}
              >
                {shown?.text ?? <span className={styles.waiting}>loading…</span>}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
