import { type DiffPick, diffView, setDiffPick, useDiffPick } from "../../state/diffPick";
import { go } from "../../state/view";
import { Button } from "../../ui/Button";
import styles from "./DiffPickBar.module.css";

/** The first sample is taken as A; the next one makes the diff. */
export function useTakeForDiff(): (pick: DiffPick) => void {
  const first = useDiffPick();
  return (pick) => {
    const to = first && diffView(first, pick);
    setDiffPick(first ? null : pick);
    if (to) go(to);
  };
}

/** Says which sample was taken as A, while one looks for B. */
export function DiffPickBar({ run, address }: DiffPick) {
  const picked = useDiffPick();
  const take = useTakeForDiff();
  if (!picked) return null;
  const isThis = picked.run === run && picked.address === address;
  return (
    <section className={styles.bar} aria-label="Diff of two samples" role="status">
      <span>
        <b>A</b> <code>{picked.address}</code>
        {picked.run !== run && ` of ${picked.run}`} {isThis ? "is taken: open another one and press d" : null}
      </span>
      {!isThis && (
        <Button primary onClick={() => take({ run, address })}>
          Diff with this sample
        </Button>
      )}
      <Button quiet onClick={() => setDiffPick(null)}>
        Cancel
      </Button>
    </section>
  );
}
