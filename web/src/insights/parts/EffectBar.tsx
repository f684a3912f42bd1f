import styles from "./EffectBar.module.css";

interface EffectBarProps {
  value: number;
  most: number;
  /** A change of reward: better is green and to the right. Else right is A, left is B. */
  isReward?: boolean;
}

/** A number around zero as a bar. The number stands beside it. */
export function EffectBar({ value, most, isReward = false }: EffectBarProps) {
  const share = most > 0 ? Math.min(Math.abs(value) / most, 1) : 0;
  return (
    <span className={styles.bar} data-reward={isReward || undefined} aria-hidden="true">
      <span data-side={value < 0 ? "b" : "a"} style={{ width: `${share * 50}%` }} />
    </span>
  );
}
