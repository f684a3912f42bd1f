import type { Progress } from "../../api/types";
import { formatBytes, formatSeconds, plural } from "../../lib/numbers";
import styles from "../../ui/States.module.css";

/** A run that is being read for the first time: how far that is, and that nobody has to wait for its end. */
export function Indexing({ progress }: { progress: Progress }) {
  const { bytes_done, bytes_total, samples, seconds_left } = progress;
  return (
    <div className={styles.state} role="status">
      <p className={styles.title}>Reading the run</p>
      <progress className={styles.progress} value={bytes_total ? bytes_done / bytes_total : 0} aria-label="Reading" />
      <p className={styles.body}>
        {formatBytes(bytes_done)} of {formatBytes(bytes_total)} · {plural(samples, "sample")}
        {seconds_left !== null && seconds_left >= 1 && ` · about ${formatSeconds(seconds_left)} left`}
      </p>
      <p className={styles.body}>Samples appear here as they are found.</p>
    </div>
  );
}
