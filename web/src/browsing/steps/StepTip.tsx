import type { ReactNode } from "react";
import styles from "./StepTip.module.css";

/** Half of the longest tip: nearer to an edge it would be cut. */
const EDGE = 60;

/** What the pointer is over, above a strip of steps of this width. */
export function StepTip({ x, width, children }: { x: number; width: number; children: ReactNode }) {
  return (
    <span className={styles.tip} style={{ left: Math.min(Math.max(EDGE, x), width - EDGE) }}>
      {children}
    </span>
  );
}
