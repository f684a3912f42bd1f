/** Two samples word by word, side by side or in one text. Neither is the original: A is blue, B is orange. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { diffQuery } from "../../api/insights";
import type { DiffPiece, DiffSide } from "../../api/types";
import { formatCount, formatPercent, formatReward } from "../../lib/numbers";
import { usePageParam } from "../../state/view";
import { Button } from "../../ui/Button";
import { Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { CopyCommand } from "../parts/CopyCommand";
import { InnerLink } from "../parts/InnerLink";
import { openSample } from "../parts/openSample";
import { SideMark } from "../parts/SideMark";
import styles from "./DiffPane.module.css";
import { diffRows, foldedEnds } from "./diffColumns";

interface DiffPaneProps {
  run: string;
  a: string;
  b: string;
  /** The run that B is in, where it is another. */
  against: string | null;
}

export function DiffPane({ run, a, b, against }: DiffPaneProps) {
  const { data, error, isFetching } = useQuery(diffQuery(run, a, b, against));
  const [layout, setLayout] = usePageParam("layout", "side");
  if (error) return <Failure error={error} />;
  if (!data || isFetching) return <Skeleton lines={10} label="Comparing" />;
  const { pieces, equal_words, a_words, b_words, compared } = data;
  const same = a_words + b_words > 0 ? (2 * equal_words) / (a_words + b_words) : 1;
  return (
    <section className={styles.diff} aria-label="Diff">
      <p className={page.say} role="status">
        <b>{formatPercent(same)}</b> of the words are the same · {formatCount(a_words - equal_words)} only in A,{" "}
        {formatCount(b_words - equal_words)} only in B
        {!compared && ". They are too long: what lies between their equal ends was not compared"}
      </p>
      <div className={styles.actions}>
        <Button on={layout === "side"} onClick={() => setLayout("side")}>
          Side by side
        </Button>
        <Button on={layout === "inline"} onClick={() => setLayout("inline")}>
          Inline
        </Button>
        <CopyCommand run={run} name="diff" words={[a, b]} other={against} />
      </div>
      <div className={styles.heads}>
        <Head side="a" run={run} sample={data.a} />
        <Head side="b" run={against ?? run} sample={data.b} />
      </div>
      {layout === "inline" ? (
        <div className={page.text}>
          {pieces.map((piece) => (
            <Piece key={keyOf(piece)} piece={piece} />
          ))}
        </div>
      ) : (
        diffRows(pieces).map((row) => <Row key={keyOf(row[0] as DiffPiece)} row={row} />)
      )}
      <p className={styles.ends}>both end here</p>
    </section>
  );
}

const keyOf = ({ kind, a, b }: DiffPiece): string => `${kind} ${a} ${b}`;

function Head({ side, run, sample }: { side: "a" | "b"; run: string; sample: DiffSide }) {
  return (
    <p>
      <SideMark side={side} />
      <InnerLink to={{ run, ...openSample(sample.address) }}>{sample.address}</InnerLink>
      <span>
        {sample.run} · reward <b>{formatReward(sample.reward)}</b>
      </span>
    </p>
  );
}

function Row({ row }: { row: readonly DiffPiece[] }) {
  const only = row[0];
  if (row.length === 1 && only?.kind === "equal") return <Same text={only.text} />;
  return (
    <div className={styles.two}>
      {(["insert", "delete"] as const).map((hidden) => (
        <div key={hidden}>
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

function Piece({ piece: { kind, text } }: { piece: DiffPiece }) {
  if (kind === "equal") return <span>{text}</span>;
  return kind === "delete" ? <del className={styles.gone}>{text}</del> : <ins className={styles.added}>{text}</ins>;
}
