import { formatCount, formatReward, plural } from "../../lib/numbers";
import { Button } from "../../ui/Button";
import { colourOf, turnScale } from "../outcome/colourScale";
import styles from "./TurnStrip.module.css";
import { nextFailing, type StripCell, stripCells, type TurnOutcome } from "./turnOutcomes";

interface TurnStripProps {
  outcomes: readonly TurnOutcome[];
  /** The turn being read; null above the first. */
  current: number | null;
  onTurn: (turn: number) => void;
}

/** From here on cells touch each other: what is between them would take half of the room. */
const MANY = 60;

/** All turns of a sample as cells, coloured by reward, marked where something failed; stays in view while one reads. */
export function TurnStrip({ outcomes, current, onTurn }: TurnStripProps) {
  const scale = turnScale(outcomes.map(({ reward }) => reward));
  const failures = outcomes.filter(({ failure }) => failure !== null).length;
  const place = outcomes.findIndex(({ turn }) => turn === current);
  const target = nextFailing(outcomes, current);
  return (
    <nav className={styles.strip} aria-label="Turns" data-find="off">
      <span className={styles.place}>
        {place < 0
          ? plural(outcomes.length, "turn")
          : `turn ${formatCount(place + 1)} of ${formatCount(outcomes.length)}`}
      </span>
      <span className={styles.cells} data-many={outcomes.length > MANY || undefined}>
        {stripCells(outcomes).map((cell) => (
          <button
            key={cell.first}
            type="button"
            tabIndex={-1}
            aria-label={labelOf(cell)}
            title={labelOf(cell)}
            data-current={(cell.first <= place && place <= cell.last) || undefined}
            data-failing={cell.failures.length > 0 || undefined}
            style={{ background: colourOf(scale, cell.reward) }}
            onClick={() => onTurn(cell.turn)}
          />
        ))}
      </span>
      {failures > 0 && target !== null && (
        <Button
          quiet
          className={styles.next}
          title="Next failing turn (x, J; K goes back)"
          onClick={() => onTurn(target)}
        >
          {formatCount(failures)} failing
        </Button>
      )}
    </nav>
  );
}

function labelOf({ first, last, reward, failures }: StripCell): string {
  const [failure = null] = failures;
  const isOne = first === last;
  const words = [
    isOne ? `turn ${first + 1}` : `turns ${first + 1}–${last + 1}`,
    reward === null ? null : `${isOne ? "reward" : "lowest reward"} ${formatReward(reward)}`,
    isOne || failure === null ? failure : `${failures.length} failing`,
  ];
  return words.filter(Boolean).join(" · ");
}
