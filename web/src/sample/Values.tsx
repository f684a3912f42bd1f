import styles from "./Values.module.css";

/** Names and values in two columns. Values are untrusted text: shown, never interpreted. */
export function Values({ label, rows }: { label: string; rows: readonly (readonly [string, string])[] }) {
  return (
    <dl className={styles.values} aria-label={label}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt title={name}>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
