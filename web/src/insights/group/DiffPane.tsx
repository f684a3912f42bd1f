/** Two samples word by word, side by side or in one text. Neither is the original: A is blue, B is orange. */
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { diffQuery } from "../../api/insights";
import type { DiffPiece, SampleDiff } from "../../api/types";
import { formatCount, formatPercent } from "../../lib/numbers";
import { useKeys } from "../../state/useKeys";
import { go, usePageParam, useView } from "../../state/view";
import { Button } from "../../ui/Button";
import { useWiderThan } from "../../ui/hooks/useWiderThan";
import { Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { CopyCommand } from "../parts/CopyCommand";
import { DiffHead } from "./DiffHead";
import { DiffList } from "./DiffList";
import { DiffOverview } from "./DiffOverview";
import styles from "./DiffPane.module.css";
import { diffRows, foldedEnds } from "./diffColumns";

/** From here on the differences are listed beside the texts, as in the style sheet. */
const WIDE = 2000;

interface DiffPaneProps {
  run: string;
  a: string;
  b: string;
  /** The run that B is in, where it is another. */
  against: string | null;
}

export default function DiffPane({ run, a, b, against }: DiffPaneProps) {
  const { data, error, isFetching } = useQuery(diffQuery(run, a, b, against));
  if (error) return <Failure error={error} />;
  if (!data || isFetching) return <Skeleton lines={10} label="Comparing" />;
  return <Shown diff={data} run={run} against={against} />;
}

function Shown({ diff, run, against }: { diff: SampleDiff; run: string; against: string | null }) {
  const { pieces, equal_words, a_words, b_words, compared, a, b } = diff;
  const { other } = useView();
  const [layout, setLayout] = usePageParam("layout", "side");
  const texts = useRef<HTMLDivElement>(null);
  const whole = useRef<HTMLElement>(null);
  const isWide = useWiderThan(whole, WIDE, false);
  const same = a_words + b_words > 0 ? (2 * equal_words) / (a_words + b_words) : 1;
  const swap = (): void =>
    go({
      ...(against ? { run: against } : {}),
      other: { ...other, a: b.address, b: a.address, ...(against ? { against: run } : {}) },
    });
  const rows = diffRows(pieces);
  const differences = rows.map((row) => row.filter(({ kind }) => kind !== "equal")).filter(({ length }) => length > 0);
  const open = (piece: DiffPiece | undefined): void => {
    const element = piece && texts.current?.querySelector<HTMLElement>(`[data-piece="${keyOf(piece)}"]`);
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
  };
  /** From the difference that has the focus to the next. */
  const move = (by: 1 | -1): void => {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.piece;
    const at = differences.findIndex((each) => each.some((piece) => keyOf(piece) === focused));
    open((at < 0 ? differences.at(by > 0 ? 0 : -1) : differences[at + by])?.[0]);
  };
  useKeys({ "next-mark": () => move(1), "previous-mark": () => move(-1), "failing-turn": swap });
  return (
    <section ref={whole} className={styles.diff} aria-label="Diff">
      <div className={styles.bar}>
        <p role="status">
          <b>{formatPercent(same)}</b> of the words are the same · {formatCount(a_words - equal_words)} only in A,{" "}
          {formatCount(b_words - equal_words)} only in B
          {!compared && ". They are too long: what lies between their equal ends was not compared"}
        </p>
        <span className={styles.actions}>
          <Button on={layout === "side"} onClick={() => setLayout("side")}>
            Side by side
          </Button>
          <Button on={layout === "inline"} onClick={() => setLayout("inline")}>
            Inline
          </Button>
          <Button icon="swap" aria-label="Swap A and B (x)" title="Swap A and B (x)" onClick={swap} />
          <Button
            icon="chevron-left"
            aria-label="Previous difference (,)"
            title="Previous difference (,)"
            onClick={() => move(-1)}
          />
          <Button
            icon="chevron-right"
            aria-label="Next difference (.)"
            title="Next difference (.)"
            onClick={() => move(1)}
          />
          <CopyCommand run={run} name="diff" words={[a.address, b.address]} other={against} />
        </span>
      </div>
      <div className={styles.heads}>
        <DiffHead side="a" run={run} sample={a} isOneRun={against === null} />
        <DiffHead side="b" run={against ?? run} sample={b} isOneRun={against === null} />
        <div className={styles.overview}>
          <DiffOverview pieces={pieces} onOpen={open} />
        </div>
      </div>
      <div className={styles.body}>
        <div ref={texts}>
          {layout === "inline" ? (
            <div className={page.text}>
              {pieces.map((piece) => (
                <Piece key={keyOf(piece)} piece={piece} />
              ))}
            </div>
          ) : (
            rows.map((row) => <Row key={keyOf(row[0] as DiffPiece)} row={row} />)
          )}
          <p className={styles.ends}>both end here</p>
        </div>
        {isWide && (
          <div className={styles.beside}>
            <DiffList differences={differences} onOpen={open} />
          </div>
        )}
      </div>
    </section>
  );
}

const keyOf = ({ kind, a, b }: DiffPiece): string => `${kind} ${a} ${b}`;

function Row({ row }: { row: readonly DiffPiece[] }) {
  const only = row[0];
  if (row.length === 1 && only?.kind === "equal") return <Same text={only.text} />;
  return (
    <div className={styles.two}>
      {(["insert", "delete"] as const).map((hidden) => (
        <div key={hidden} data-none={row.every(({ kind }) => kind === hidden) || undefined}>
          {row
            .filter(({ kind }) => kind !== hidden)
            .map((piece) => (
              <Piece key={keyOf(piece)} piece={piece} />
            ))}
        </div>
      ))}
    </div>
  );
}

/** What both have stands on both sides, so that what differs lies where it is read: its ends, the rest when asked for. */
function Same({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const ends = open ? null : foldedEnds(text);
  if (!ends) return <OnBothSides text={text} />;
  return (
    <>
      <OnBothSides text={ends.start} />
      <p className={styles.fold}>
        <Button quiet onClick={() => setOpen(true)}>
          … {formatCount(ends.between)} characters the same …
        </Button>
      </p>
      <OnBothSides text={ends.end} />
    </>
  );
}

function OnBothSides({ text }: { text: string }) {
  return (
    <div className={`${styles.two} ${styles.same}`}>
      <div>{text}</div>
      {/* Read aloud once. */}
      <div aria-hidden="true">{text}</div>
    </div>
  );
}

function Piece({ piece }: { piece: DiffPiece }) {
  const { kind, text } = piece;
  if (kind === "equal") return <span>{text}</span>;
  const Changed = kind === "delete" ? "del" : "ins";
  return (
    <Changed className={styles.changed} data-piece={keyOf(piece)} tabIndex={-1}>
      {text}
    </Changed>
  );
}
