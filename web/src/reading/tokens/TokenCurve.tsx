import { type MouseEvent, useMemo } from "react";
import type { TokenLine } from "../../api/types";
import { formatValue } from "../../lib/numbers";
import styles from "./TokensView.module.css";
import { stretches } from "./tokenColumns";

const WIDTH = 600;
const HEIGHT = 48;

interface TokenCurveProps {
  label: string;
  values: readonly (number | null)[];
  lines: readonly TokenLine[];
  at: number | null;
  onToken: (token: number) => void;
}

/** A column over the position in the response, with the bounds that trainers use as lines. A click goes to the token. */
export function TokenCurve({ label, values, lines, at, onToken }: TokenCurveProps) {
  const found = useMemo(() => stretches(values, WIDTH), [values]);
  const known = found.flatMap((stretch) => (stretch ? [stretch.low, stretch.high] : []));
  if (known.length === 0) return null;
  const low = Math.min(...known, ...lines.map(({ value }) => value));
  const high = Math.max(...known, ...lines.map(({ value }) => value));
  const y = (value: number): number => HEIGHT - 2 - ((value - low) / (high - low || 1)) * (HEIGHT - 4);
  const step = WIDTH / found.length;
  const path = found
    .map((stretch, nth) =>
      stretch ? `M${(nth * step).toFixed(1)} ${y(stretch.low).toFixed(1)}V${(y(stretch.high) - 1).toFixed(1)}` : "",
    )
    .join("");
  const click = (event: MouseEvent<SVGSVGElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onToken(Math.min(Math.floor(((event.clientX - left) / width) * values.length), values.length - 1));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key for the next outlier and the text itself are the other ways.
    <svg
      className={styles.curve}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label} by position, ${formatValue(low)} to ${formatValue(high)}`}
      onClick={click}
    >
      <path d={path} />
      {lines.map(({ value, name, about }) => (
        <line key={name} x1={0} x2={WIDTH} y1={y(value)} y2={y(value)}>
          <title>{`${name}: ${formatValue(value)}. ${about}`}</title>
        </line>
      ))}
      {at !== null && <rect x={(at / values.length) * WIDTH - 1} width={2} y={0} height={HEIGHT} />}
    </svg>
  );
}
