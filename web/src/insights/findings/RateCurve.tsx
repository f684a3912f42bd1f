import styles from "./RateCurve.module.css";

interface RateCurveProps {
  /** (step, share) of each step. */
  rate: readonly (readonly [number, number])[];
  onset: readonly [number, number] | null;
}

const WIDTH = 400;
const HEIGHT = 100;

/** The share of samples meant over the steps, small; the interval in which it began is shaded. */
export function RateCurve({ rate, onset }: RateCurveProps) {
  const first = rate[0]?.[0];
  const last = rate.at(-1)?.[0];
  if (first === undefined || last === undefined) return <span className={styles.curve} />;
  const top = Math.max(...rate.map(([, share]) => share), 1e-9);
  const x = (step: number): number => (last === first ? WIDTH / 2 : ((step - first) / (last - first)) * WIDTH);
  const y = (share: number): number => HEIGHT - 2 - (share / top) * (HEIGHT - 6);
  const path = rate.map(([step, share], nth) => `${nth === 0 ? "M" : "L"}${x(step).toFixed(1)} ${y(share).toFixed(1)}`);
  return (
    <svg className={styles.curve} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {onset && <rect x={x(onset[0])} width={Math.max(x(onset[1]) - x(onset[0]), 8)} y={0} height={HEIGHT} />}
      <path d={path.join("")} />
    </svg>
  );
}
