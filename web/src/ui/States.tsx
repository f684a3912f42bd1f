/** What is shown instead of content: nothing there, not yet there, could not be had. */

import type { ReactNode } from "react";
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

/** What an error may say beside its message. */
interface Explained {
  readonly title?: string;
  readonly detail?: string;
  readonly hint?: string;
}

interface FailureProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}

/** An error as the server put it: what happened, and what to do. */
export function Failure({ error, onRetry, children }: FailureProps) {
  const problem = error instanceof Error ? (error as Error & Explained) : null;
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
