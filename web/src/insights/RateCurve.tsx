import styles from "./RateCurve.module.css";

interface RateCurveProps {
  /** (step, share) of each step. */
  rate: readonly (readonly [number, number])[];
  onset: readonly [number, number] | null;
  small?: boolean;
}

const WIDTH = 400;
const HEIGHT = 100;

/** The share of samples meant over the steps; the interval in which it began is shaded. */
export function RateCurve({ rate, onset, small = false }: RateCurveProps) {
  const first = rate[0]?.[0];
  const last = rate.at(-1)?.[0];
  if (first === undefined || last === undefined) return <span className={styles.none} />;
  const top = Math.max(...rate.map(([, share]) => share), 1e-9);
  const x = (step: number): number => (last === first ? WIDTH / 2 : ((step - first) / (last - first)) * WIDTH);
  const y = (share: number): number => HEIGHT - 2 - (share / top) * (HEIGHT - 6);
  const path = rate.map(([step, share], nth) => `${nth === 0 ? "M" : "L"}${x(step).toFixed(1)} ${y(share).toFixed(1)}`);
  const label = `share per step, ${first} to ${last}, at most ${(top * 100).toFixed(1)} %`;
  return (
    <figure className={small ? styles.small : styles.curve}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {onset && <rect x={x(onset[0])} width={Math.max(x(onset[1]) - x(onset[0]), 4)} y={0} height={HEIGHT} />}
        <path d={path.join("")} />
      </svg>
      {!small && (
        <figcaption>
          <span>step {first}</span>
          <span>
            {onset ? `began at step ${onset[0]}${onset[1] > onset[0] ? `–${onset[1]}` : ""} · ` : ""}at most{" "}
            {(top * 100).toFixed(1)} %
          </span>
          <span>step {last}</span>
        </figcaption>
      )}
    </figure>
  );
}
