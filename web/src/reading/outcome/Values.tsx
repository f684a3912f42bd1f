import styles from "./Values.module.css";

const SHORT = 22;

/** Names and values: short ones in columns, long ones below in full width. Untrusted text: shown, never interpreted. */
export function Values({ label, rows }: { label: string; rows: readonly (readonly [string, string])[] }) {
  const isShort = ([, value]: readonly [string, string]): boolean => value.length <= SHORT && !value.includes("\n");
  return (
    <dl className={styles.values} aria-label={label}>
      {rows.filter(isShort).map(([name, value]) => (
        <div key={name}>
          <dt title={name}>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {rows
        .filter((row) => !isShort(row))
        .map(([name, value]) => (
          <div key={name} data-long="">
            <dt title={name}>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
