import type { ReactNode } from "react";
import { CopyButton } from "../../ui/CopyButton";
import { Icon } from "../../ui/Icon";
import type { Folds } from "./folds";
import styles from "./Section.module.css";

interface SectionProps {
  /** What it is remembered by when folded. */
  id: string;
  title: ReactNode;
  /** Figures at the right of the title: tokens, seconds, reward. */
  facts?: ReactNode;
  folds: Folds;
  open?: boolean;
  /** Not part of reading: "unfold all" and find leave it alone. */
  apart?: boolean;
  copy?: string | (() => string | Promise<string>);
  /** The turn that begins here: j and k stop at it. */
  turn?: number | null;
  /** Which message it shows, for the outline. */
  message?: number;
  role?: string;
  children: ReactNode;
}

/** A part of the sample under a title that folds it. */
export function Section({
  id,
  title,
  facts,
  folds,
  open = true,
  apart = false,
  copy,
  turn = null,
  message,
  role,
  children,
}: SectionProps) {
  const isOpen = folds.isOpen(id, open, apart);
  return (
    <section className={styles.section} data-turn={turn ?? undefined} data-message={message} data-role={role}>
      <div className={styles.head} data-find="off">
        <h3>
          <button type="button" aria-expanded={isOpen} onClick={() => folds.toggle(id, !isOpen)}>
            <span className={styles.arrow} data-open={isOpen || undefined}>
              <Icon name="chevron-right" size={11} />
            </span>
            {title}
            <span className={styles.facts}>{facts}</span>
          </button>
        </h3>
        {copy === undefined ? (
          <span className={styles.noCopy} />
        ) : (
          <CopyButton quiet text={copy} aria-label="Copy section" />
        )}
      </div>
      {isOpen && <div className={styles.body}>{children}</div>}
    </section>
  );
}
