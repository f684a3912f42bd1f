import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { apiUrl, runPath } from "../../api/client";
import { rawQuery } from "../../api/hooks";
import { formatCount } from "../../lib/numbers";
import { useSetting } from "../../state/settings";
import { go, useView } from "../../state/view";
import { CopyButton } from "../../ui/CopyButton";
import { Icon } from "../../ui/Icon";
import { Failure, Skeleton } from "../../ui/States";
import { FindBar } from "../find/FindBar";
import { findAll, type Match, paintMatches } from "../find/findText";
import { unitPlace } from "../find/marks/alignText";
import type { Marks } from "../find/marks/useMarks";
import { longTextSetting } from "../text/renderSettings";
import styles from "./RawView.module.css";
import { type Chunk, chunkAt, chunksOf } from "./rawText";

interface RawViewProps {
  run: string;
  address: string;
  isFinding: boolean;
  onCloseFind: () => void;
  marks: Marks;
}

/** The full sample as one string: find, copy, download. Any length: only what is in view is drawn. */
export function RawView({ run, address, isFinding, onCloseFind, marks }: RawViewProps) {
  const { data, error } = useQuery(rawQuery(run, address));
  if (error) return <Failure error={error} />;
  if (data === undefined) {
    return (
      <div className={styles.waiting}>
        <Skeleton lines={8} label="Loading the raw text" />
      </div>
    );
  }
  return (
    <RawText
      key={address}
      text={data}
      run={run}
      address={address}
      isFinding={isFinding}
      onCloseFind={onCloseFind}
      marks={marks}
    />
  );
}

function RawText({ text, run, address, isFinding, onCloseFind, marks }: RawViewProps & { text: string }) {
  const { find } = useView();
  const [{ openAtEnd }] = useSetting(longTextSetting);
  const scroller = useRef<HTMLDivElement>(null);
  const chunks = useMemo(() => chunksOf(text), [text]);
  const matches = useMemo(() => findAll(text, find), [text, find]);
  const [at, setAt] = useState(0);
  const virtual = useVirtualizer({
    count: chunks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(chunks[index]),
    overscan: 1,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the text opens; finding moves it later.
  useLayoutEffect(() => {
    if (openAtEnd && !find) virtual.scrollToIndex(chunks.length - 1, { align: "end" });
  }, [virtual, chunks.length, openAtEnd]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other matches begin at the first.
  useEffect(() => setAt(0), [matches]);
  const match = matches[at];
  useEffect(() => {
    if (match) virtual.scrollToIndex(chunkAt(chunks, match.start), { align: "auto" });
  }, [match, chunks, virtual]);
  usePaintedMatches(scroller, chunks, matches, match, paintMatches);
  const seen = useMemo(() => rawMarks(text, marks.marks), [text, marks.marks]);
  const mark = marks.at === null ? undefined : (seen[marks.at] ?? undefined);
  useEffect(() => {
    if (mark) virtual.scrollToIndex(chunkAt(chunks, mark.start), { align: "auto" });
  }, [mark, chunks, virtual]);
  usePaintedMatches(scroller, chunks, seen.filter(isThere), mark, paintSeen);

  const file = `${address.replaceAll("/", "-")}.txt`;
  return (
    <div className={styles.raw}>
      <div className={styles.bar}>
        <span>{formatCount(text.length)} characters</span>
        <CopyButton text={text}>Copy</CopyButton>
        <a className={styles.download} href={apiUrl(runPath(run, "raw"), { address })} download={file}>
          <Icon name="download" /> Download
        </a>
      </div>
      {(isFinding || find !== "") && (
        <FindBar
          text={find}
          onText={(next) => go({ find: next }, { replace: true })}
          count={matches.length}
          at={at}
          onMove={(by) => matches.length && setAt((at + by + matches.length) % matches.length)}
          onClose={onCloseFind}
          offerRaw={false}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section ref={scroller} className={styles.scroller} tabIndex={0} aria-label="Raw text">
        <div className={styles.all} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              data-index={index}
              data-chunk={index}
              ref={virtual.measureElement}
              className={styles.chunk}
              style={{ transform: `translateY(${start}px)` }}
            >
              {text.slice(chunks[index]?.start, chunks[index]?.end)}
            </div>
          ))}
        </div>
      </section>
    </div>
  );
}

function estimate(chunk: Chunk | undefined): number {
  return chunk ? Math.max(20, ((chunk.end - chunk.start) / 90) * 19) : 20;
}

/** Paints the matches of the chunks that are drawn now, and brings the current one into view. */
function usePaintedMatches(
  scroller: React.RefObject<HTMLElement | null>,
  chunks: readonly Chunk[],
  matches: readonly Match[],
  current: Match | undefined,
  paint: (ranges: readonly Range[], current: Range | undefined) => void,
): void {
  const scrolled = useRef<Match | undefined>(undefined);
  // Every draw may bring other chunks.
  useEffect(() => {
    const drawn = scroller.current?.querySelectorAll<HTMLElement>("[data-chunk]") ?? [];
    const ranges: Range[] = [];
    let currentRange: Range | undefined;
    for (const element of drawn) {
      const chunk = chunks[Number(element.dataset.chunk)];
      const node = element.firstChild;
      if (!chunk || !node) continue;
      for (const match of matches) {
        if (match.end <= chunk.start || match.start >= chunk.end) continue;
        const range = document.createRange();
        range.setStart(node, Math.max(0, match.start - chunk.start));
        range.setEnd(node, Math.min(chunk.end, match.end) - chunk.start);
        ranges.push(range);
        if (match === current) currentRange = range;
      }
    }
    paint(ranges, currentRange);
    if (currentRange && scrolled.current !== current && scroller.current) {
      scrolled.current = current;
      const frame = scroller.current.getBoundingClientRect();
      scroller.current.scrollTop += currentRange.getBoundingClientRect().top - frame.top - frame.height / 2;
    }
  });
  useEffect(() => () => paint([], undefined), [paint]);
}

/** Where the raw text has what findings point at; null where it has not. */
function rawMarks(text: string, marks: Marks["marks"]): (Match | null)[] {
  return marks.map(({ span: { raw } }) => raw && { start: unitPlace(text, raw[0]), end: unitPlace(text, raw[1]) });
}

const isThere = (match: Match | null): match is Match => match !== null;

function paintSeen(ranges: readonly Range[], current: Range | undefined): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.set("seen-high", new Highlight(...ranges));
  CSS.highlights.set("seen-current", new Highlight(...(current ? [current] : [])));
}
