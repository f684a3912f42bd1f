import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import styles from "./VirtualRows.module.css";

interface VirtualRowsProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly children: (place: number) => ReactNode;
  /** A row to bring into view, each time this is another object. */
  readonly show?: { readonly place: number } | null;
  /** Above the rows, scrolling sideways with them. */
  readonly head?: ReactNode;
  /** Where it was scrolled to, kept by whoever wants the list to be there again when it comes back. */
  readonly memory?: { offset: number };
  /** Rows may be taller than that: what is too wide goes on in further lines. */
  readonly wraps?: boolean;
}

/** Rows, of one height unless they wrap, of which only those in view exist: files by the thousand, diffs of any length. */
export function VirtualRows({
  count,
  rowHeight,
  label,
  children,
  show = null,
  head,
  memory,
  wraps = false,
}: VirtualRowsProps) {
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
    initialOffset: memory?.offset ?? 0,
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!memory || !element) return;
    element.scrollTop = memory.offset;
    // The last move may not have been told yet: scrolling is told once a frame.
    return () => {
      memory.offset = element.scrollTop;
    };
  }, [memory]);
  useEffect(() => {
    if (show) rows.scrollToIndex(show.place, { align: "start" });
  }, [show, rows]);
  return (
    <section
      ref={scroller}
      className={styles.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable for the keyboard to scroll it.
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => {
        if (memory) memory.offset = event.currentTarget.scrollTop;
      }}
    >
      {head}
      <div className={styles.rows} data-wraps={wraps || undefined} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={wraps ? rows.measureElement : undefined}
            data-index={item.index}
            className={styles.row}
            style={{ [wraps ? "minHeight" : "height"]: rowHeight, transform: `translateY(${item.start}px)` }}
          >
            {children(item.index)}
          </div>
        ))}
      </div>
    </section>
  );
}
