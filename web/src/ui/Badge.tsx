import type { ReactNode } from "react";
import styles from "./Badge.module.css";

type Tone = "plain" | "warn" | "bad" | "live" | "accent";

/** One word about a thing. Colour repeats what the word says, never more. */
export function Badge({ tone = "plain", title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone} title={title}>
      {children}
    </span>
  );
}
