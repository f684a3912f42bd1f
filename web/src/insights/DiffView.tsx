/** Two samples, word by word. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { diffQuery } from "../api/insights";
import type { DiffPiece, DiffSide, RunInfo } from "../api/types";
import { formatCount, formatReward } from "../lib/numbers";
import { parseAddress } from "../state/url";
import { go, hrefFor, useView } from "../state/view";
import { Button } from "../ui/Button";
import { Empty, Failure, Skeleton } from "../ui/States";
import { SideMark } from "./ContrastView";
import styles from "./DiffView.module.css";
import page from "./InsightsPage.module.css";

export function DiffView({ run }: { run: RunInfo }) {
  const { other } = useView();
  const a = other.a ?? "";
  const b = other.b ?? "";
  const query = useQuery({ ...diffQuery(run.id, a, b, other.against ?? null), enabled: a !== "" && b !== "" });
  return (
    <>
      <AddressForm key={`${a} ${b}`} a={a} b={b} />
      {a === "" || b === "" ? (
        <Empty icon="side" title="Which two samples?">
          <p>
            Give two addresses, such as train/12/3 and train/40/3. A group's page opens here for any two of its samples.
          </p>
        </Empty>
      ) : query.error ? (
        <Failure error={query.error} />
      ) : !query.data || query.isFetching ? (
        <Skeleton lines={10} label="Comparing" />
      ) : (
        <div className={page.reading}>
          <p className={page.say}>
            <SideMark side="a" /> <SampleLink run={run.id} side={query.data.a} /> <SideMark side="b" />{" "}
            <SampleLink run={other.against ?? run.id} side={query.data.b} /> · {formatCount(query.data.equal_words)}{" "}
            words are the same, of {formatCount(query.data.a_words)} and {formatCount(query.data.b_words)}
            {!query.data.compared && ". They are too long: what lies between their equal ends was not compared"}
          </p>
          <div className={page.text}>
            {query.data.pieces.map((piece) => (
              <Piece key={`${piece.kind} ${piece.a} ${piece.b}`} piece={piece} />
            ))}
          </div>
        </div>
      )}
    </>
  );
}

function AddressForm({ a: first, b: second }: { a: string; b: string }) {
  const { other } = useView();
  const [a, setA] = useState(first);
  const [b, setB] = useState(second);
  return (
    <form
      className={page.bar}
      aria-label="Samples to compare"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        go({ other: { ...other, tab: "diff", a: a.trim(), b: b.trim() } });
      }}
    >
      <label className={page.filter}>
        <SideMark side="a" />
        <input aria-label="Address of A" value={a} spellCheck={false} onChange={(event) => setA(event.target.value)} />
      </label>
      <label className={page.filter}>
        <SideMark side="b" />
        <input aria-label="Address of B" value={b} spellCheck={false} onChange={(event) => setB(event.target.value)} />
      </label>
      <Button primary type="submit">
        Diff
      </Button>
    </form>
  );
}

function SampleLink({ run, side }: { run: string; side: DiffSide }) {
  const place = parseAddress(side.address);
  if (!place) return <>{side.address}</>;
  const target = { run, page: place.split.startsWith("eval/") ? ("evals" as const) : ("rollouts" as const), ...place };
  return (
    <a className={styles.link} href={hrefFor(target)}>
      {side.address} <span className={page.faint}>reward {formatReward(side.reward)}</span>
    </a>
  );
}

function Piece({ piece: { kind, text } }: { piece: DiffPiece }) {
  if (kind === "equal") return <span>{text}</span>;
  return kind === "delete" ? <del className={styles.gone}>{text}</del> : <ins className={styles.added}>{text}</ins>;
}
