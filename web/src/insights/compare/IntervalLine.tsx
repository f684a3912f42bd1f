import { formatSigned, formatValue } from "../../lib/numbers";
import styles from "./IntervalLine.module.css";
import { intervalAxis } from "./interval";

/** A difference and its interval around zero: whether chance alone may explain it is seen. */
export function IntervalLine({ delta, ci }: { delta: number; ci: readonly [number, number] }) {
  const { low, high, ticks, side } = intervalAxis(ci);
  const place = (value: number): string => `${((value - low) / (high - low)) * 100}%`;
  return (
    <div
      className={styles.line}
      data-sign={side}
      role="img"
      aria-label={`difference ${formatSigned(delta)}, 95% interval ${formatSigned(ci[0])} to ${formatSigned(ci[1])}, ${
        side === 0 ? "on both sides of" : side > 0 ? "above" : "below"
      } zero`}
    >
      <i className={styles.zero} style={{ left: place(0) }} />
      <i className={styles.interval} style={{ left: place(ci[0]), right: `calc(100% - ${place(ci[1])})` }} />
      <i className={styles.point} style={{ left: place(delta) }} />
      {ticks.map((tick) => (
        <span key={tick} style={{ left: place(tick) }}>
          {formatValue(tick)}
        </span>
      ))}
    </div>
  );
}
