import type { DiffPiece } from "../../api/types";
import { formatCount } from "../../lib/numbers";
import styles from "./DiffList.module.css";

interface DiffListProps {
  /** The pieces of each difference, in order. */
  differences: readonly (readonly DiffPiece[])[];
  onOpen: (piece: DiffPiece | undefined) => void;
}

const MOST = 300;

/** Beside the texts in a very wide window: every difference in a line, what A says and what B says; a click goes there. */
export function DiffList({ differences, onOpen }: DiffListProps) {
  if (differences.length === 0) return null;
  const words = (pieces: readonly DiffPiece[], kind: DiffPiece["kind"]): string =>
    pieces
      .map((piece) => (piece.kind === kind ? piece.text.trim() : ""))
      .join(" … ")
      .replaceAll(/^( … )+|( … )+$/g, "");
  return (
    <nav className={styles.list} aria-label="Differences">
      <h3>
        Differences <small>{formatCount(differences.length)}</small>
      </h3>
      <ol>
        {differences.slice(0, MOST).map((pieces, nth) => (
          <li key={nth}>
            <button type="button" onClick={() => onOpen(pieces[0])}>
              <span className={styles.number}>{nth + 1}</span>
              <span data-side="a">{words(pieces, "delete")}</span>
              <span data-side="b">{words(pieces, "insert")}</span>
            </button>
          </li>
        ))}
      </ol>
      {differences.length > MOST && <p>The first {MOST} of them.</p>}
    </nav>
  );
}
