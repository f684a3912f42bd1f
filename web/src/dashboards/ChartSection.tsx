import type { ReactNode } from "react";
import { formatCount } from "../lib/numbers";
import { Icon } from "../ui/Icon";
import styles from "./ChartSection.module.css";

interface ChartSectionProps {
  /** What the contents jump to. */
  readonly anchor: string;
  readonly title: ReactNode;
  readonly label: string;
  readonly count: number;
  readonly folded: boolean;
  readonly onFold: (folded: boolean) => void;
  /** Buttons at the right end of the heading. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

/** A heading that stays in view, and its charts below. Folded, its charts cost nothing. */
export function ChartSection({ anchor, title, label, count, folded, onFold, tools, children }: ChartSectionProps) {
  return (
    <section className={styles.section} data-anchor={anchor} aria-label={label}>
      <header className={styles.header}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={!folded}
          aria-label={`${folded ? "Unfold" : "Fold"} ${label}`}
          onClick={() => onFold(!folded)}
        >
          <Icon name={folded ? "chevron-right" : "chevron-down"} size={11} />
        </button>
        <h2>{title}</h2>
        <small>{formatCount(count)}</small>
        <span className={styles.space} />
        {tools}
      </header>
      {!folded && children}
    </section>
  );
}

export function ChartGrid({ children }: { children: ReactNode }) {
  return <div className={styles.grid}>{children}</div>;
}

export function GroupTitle({ anchor, children }: { anchor: string; children: ReactNode }) {
  return (
    <h3 className={styles.group} data-anchor={anchor}>
      {children}
    </h3>
  );
}
