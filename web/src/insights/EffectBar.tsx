import styles from "./EffectBar.module.css";

/** A number around zero as a bar: to the right in the colour of A, to the left in that of B. The number stands beside it. */
export function EffectBar({ value, most }: { value: number; most: number }) {
  const share = most > 0 ? Math.min(Math.abs(value) / most, 1) : 0;
  return (
    <span className={styles.bar} aria-hidden="true">
      <span data-side={value < 0 ? "b" : "a"} style={{ width: `${share * 50}%` }} />
    </span>
  );
}
