import styles from "../InsightsPage.module.css";

/** A is blue, B is orange, wherever two things meet. */
export function SideMark({ side }: { side: "a" | "b" }) {
  return (
    <span className={styles.side} data-side={side}>
      {side.toUpperCase()}
    </span>
  );
}
