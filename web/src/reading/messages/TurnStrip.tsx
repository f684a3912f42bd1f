import { formatReward } from "../../lib/numbers";
import { Button } from "../../ui/Button";
import { colourOf, turnScale } from "../outcome/colourScale";
import styles from "./TurnStrip.module.css";
import { nextFailing, type TurnOutcome } from "./turnOutcomes";

interface TurnStripProps {
  outcomes: readonly TurnOutcome[];
  /** The turn being read; null above the first. */
  current: number | null;
  onTurn: (turn: number) => void;
}

/** All turns of a sample as cells, coloured by reward, marked where something failed; stays in view while one reads. */
export function TurnStrip({ outcomes, current, onTurn }: TurnStripProps) {
  const scale = turnScale(outcomes.map(({ reward }) => reward));
  const failures = outcomes.filter(({ failure }) => failure !== null).length;
  const place = outcomes.findIndex(({ turn }) => turn === current);
  const target = nextFailing(outcomes, current);
  return (
    <nav className={styles.strip} aria-label="Turns" data-find="off">
      <span className={styles.place}>
        {place < 0 ? `${outcomes.length} turns` : `turn ${place + 1} of ${outcomes.length}`}
      </span>
      <span className={styles.cells}>
        {outcomes.map(({ turn, reward, failure }) => {
          const said = [`turn ${turn + 1}`, reward === null ? null : `reward ${formatReward(reward)}`, failure];
          const label = said.filter(Boolean).join(" · ");
          return (
            <button
              key={turn}
              type="button"
              tabIndex={-1}
              aria-label={label}
              title={label}
              data-current={turn === current || undefined}
              data-failing={failure !== null || undefined}
              style={{ background: colourOf(scale, reward) }}
              onClick={() => onTurn(turn)}
            />
          );
        })}
      </span>
      {failures > 0 && target !== null && (
        <Button quiet className={styles.next} title="Next failing turn (x)" onClick={() => onTurn(target)}>
          {failures} failing
        </Button>
      )}
    </nav>
  );
}
