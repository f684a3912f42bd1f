import { memo } from "react";
import type { Sample } from "../../api/types";
import { formatReward } from "../../lib/numbers";
import { messageTitle, tokensText, turnFacts } from "./messageTitles";
import styles from "./Outline.module.css";
import type { TurnOutcome } from "./turnOutcomes";

interface OutlineProps {
  sample: Sample;
  outcomes: readonly TurnOutcome[];
  /** The turn being read. */
  turn: number | null;
  onMessage: (index: number) => void;
}

/** More than anyone reads through; the strip of turns leads to the others. */
const MAX_ROWS = 400;

/** What the sample consists of, beside its text where the window is wide: each message, its size, where a turn failed. */
export const Outline = memo(function Outline({ sample, outcomes, turn, onMessage }: OutlineProps) {
  const { messages } = sample;
  if (messages.length < 2) return null;
  const failures = new Map(outcomes.map((outcome) => [outcome.turn, outcome.failure]));
  return (
    <nav className={styles.outline} aria-label="Outline" data-find="off">
      <h3>Outline</h3>
      <ol>
        {messages.slice(0, MAX_ROWS).map((message, index) => {
          const { turn: numbers, isFirstOfTurn } = turnFacts(sample, index);
          const failure = isFirstOfTurn && message.turn != null ? failures.get(message.turn) : null;
          const reward = isFirstOfTurn && outcomes.length > 1 ? numbers?.reward : null;
          const facts = [tokensText(sample, index), reward == null ? null : formatReward(reward)];
          return (
            <li key={index}>
              <button
                type="button"
                data-inner={message.turn != null && !isFirstOfTurn ? "" : undefined}
                aria-current={message.turn != null && message.turn === turn && isFirstOfTurn ? "location" : undefined}
                title={failure ?? undefined}
                onClick={() => onMessage(index)}
              >
                <span className={styles.title}>{messageTitle(message)}</span>
                {failure && <span className={styles.failing}>failing</span>}
                <small>{facts.filter(Boolean).join(" · ")}</small>
              </button>
            </li>
          );
        })}
      </ol>
      {messages.length > MAX_ROWS && (
        <p>
          The first {MAX_ROWS} of {messages.length} messages.
        </p>
      )}
    </nav>
  );
});
