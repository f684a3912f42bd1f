import { halves } from "../lib/distinctNames";
import styles from "./MiddleCut.module.css";

/** A name in however little room: what does not fit is left out in its middle, since names differ at their ends. */
export function MiddleCut({ text, title = text, end: most }: { text: string; title?: string; end?: number }) {
  const [start, end] = halves(text, most);
  return (
    <span className={styles.cut} title={title}>
      <span>{start}</span>
      {end && <span>{end}</span>}
    </span>
  );
}
