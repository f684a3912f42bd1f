import type { DiffPiece } from "../../api/types";
import styles from "./DiffOverview.module.css";
import { overview } from "./diffColumns";

const SAYS = { a: "only in A", b: "only in B", both: "differs" } as const;

interface DiffOverviewProps {
  pieces: readonly DiffPiece[];
  onOpen: (piece: DiffPiece) => void;
}

/** Where the two differ, as a strip of the whole text: a click goes there. Keys do the same from one to the next. */
export function DiffOverview({ pieces, onOpen }: DiffOverviewProps) {
  return (
    <div className={styles.strip} aria-hidden="true">
      {overview(pieces).map(({ kind, characters, first }) =>
        kind === "same" ? (
          <i key={`${first.a} ${first.b}`} style={{ flexGrow: characters }} />
        ) : (
          <button
            key={`${kind} ${first.a} ${first.b}`}
            type="button"
            tabIndex={-1}
            data-kind={kind}
            title={SAYS[kind]}
            style={{ flexGrow: characters }}
            onClick={() => onOpen(first)}
          />
        ),
      )}
    </div>
  );
}
