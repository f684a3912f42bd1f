/** What is shown instead of content: nothing there, not yet there, could not be had. */

import type { ReactNode } from "react";
import { Problem } from "../api/client";
import type { Progress } from "../api/types";
import { formatBytes, formatSeconds, plural } from "../lib/numbers";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";
import styles from "./States.module.css";

export function Empty({ icon, title, children }: { icon?: IconName; title: string; children?: ReactNode }) {
  return (
    <div className={styles.state} role="status">
      {icon && (
        <span className={styles.icon}>
          <Icon name={icon} size={20} />
        </span>
      )}
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.body}>{children}</div>}
    </div>
  );
}

/** An error as the server put it: what happened, and what to do. */
export function Failure({ error, onRetry, children }: { error: unknown; onRetry?: () => void; children?: ReactNode }) {
  const problem = error instanceof Problem ? error : null;
  const title = problem?.title ?? (error instanceof Error ? error.message : String(error));
  return (
    <div className={styles.state} role="alert">
      <span className={styles.icon} data-tone="bad">
        <Icon name="warning" size={20} />
      </span>
      <p className={styles.title}>{title}</p>
      {problem?.detail && problem.detail !== title && <p className={styles.body}>{problem.detail}</p>}
      {problem?.hint && <p className={styles.body}>{problem.hint}</p>}
      {children && <div className={styles.body}>{children}</div>}
      {onRetry && (
        <p>
          <Button onClick={onRetry} icon="refresh">
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}

/** A run that is being read for the first time: how far that is, and that nobody has to wait for its end. */
export function Indexing({ progress }: { progress: Progress }) {
  const { bytes_done, bytes_total, samples, seconds_left } = progress;
  return (
    <div className={styles.state} role="status">
      <p className={styles.title}>Reading the run</p>
      <progress className={styles.progress} value={bytes_total ? bytes_done / bytes_total : 0} aria-label="Reading" />
      <p className={styles.body}>
        {formatBytes(bytes_done)} of {formatBytes(bytes_total)} · {plural(samples, "sample")}
        {seconds_left !== null && ` · about ${formatSeconds(seconds_left)} left`}
      </p>
      <p className={styles.body}>Samples appear here as they are found.</p>
    </div>
  );
}

/** Grey lines where text will be. Their place is that of the content, so nothing jumps when it comes. */
export function Skeleton({ lines = 3, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} style={{ width: `${92 - ((line * 37) % 45)}%` }} />
      ))}
    </div>
  );
}
