import { useEffect, useMemo, useRef } from "react";
import type { Sample } from "../../api/types";
import { formatSigned } from "../../lib/numbers";
import { colourOf, turnScale } from "../outcome/colourScale";
import styles from "./TurnList.module.css";
import { type TurnOutcome, turnWords } from "./turnOutcomes";

interface TurnListProps {
  sample: Sample;
  outcomes: readonly TurnOutcome[];
  /** The turn being read. */
  current: number | null;
  onTurn: (turn: number) => void;
}

/** The turns of a long rollout, a line each: what was called, what went wrong, what it earned. */
export function TurnList({ sample, outcomes, current, onTurn }: TurnListProps) {
  const scale = turnScale(outcomes.map(({ reward }) => reward));
  const words = useMemo(() => turnWords(sample), [sample]);
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is the reason.
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <ol ref={list} className={styles.list} aria-label="Turns of this sample">
      {outcomes.map(({ turn, reward, failure }, place) => {
        const { does = "", answer = "" } = words.get(turn) ?? {};
        return (
          <li key={turn}>
            <button
              type="button"
              aria-current={turn === current ? "location" : undefined}
              data-failing={failure !== null || undefined}
              title={failure ?? undefined}
              onClick={() => onTurn(turn)}
            >
              <span className={styles.number}>{place + 1}</span>
              <i style={{ background: colourOf(scale, reward) }} />
              <span className={styles.does}>{does}</span>
              <span className={styles.fails}>{whatFailed(failure, answer)}</span>
              <b style={{ color: colourOf(scale, reward, "ink") }}>{reward === null ? "" : formatSigned(reward)}</b>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** The words of an error, as the answer has them; a reward stands at the end of the line. */
function whatFailed(failure: string | null, answer: string): string {
  return failure === null || failure.startsWith("reward ") ? "" : answer || failure;
}
