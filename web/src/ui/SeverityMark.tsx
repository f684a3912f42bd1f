import styles from "./SeverityMark.module.css";

/** How serious: three bars, as many filled as it is; colour is never alone. */
export function SeverityMark({ severity }: { severity: "high" | "medium" | "low" }) {
  return (
    <svg className={styles.mark} data-severity={severity} width="11" height="10" viewBox="0 0 11 10" role="img">
      <title>{`severity ${severity}`}</title>
      <rect x="0" y="6" width="3" height="4" rx="0.5" />
      <rect x="4" y="3.5" width="3" height="6.5" rx="0.5" />
      <rect x="8" y="0" width="3" height="10" rx="0.5" />
    </svg>
  );
}
