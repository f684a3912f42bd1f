import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Hit } from "../api/types";
import { plural } from "../lib/numbers";
import { barAt, barLeft, nearestWithCount, stepBars } from "../lib/stepBars";
import { parseAddress } from "../state/url";
import styles from "./HitsPerStep.module.css";

const HEIGHT = 34;

/** How many samples of each step have a hit. A click shows the first hit of a step in the list. */
export function HitsPerStep({ hits, onStep }: { hits: readonly Hit[]; onStep: (place: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [hover, setHover] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(1, entry?.contentRect.width ?? 1)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const { steps, counts } = useMemo(() => hitsPerStep(hits), [hits]);
  if (steps.length < 2) return null;
  const at = (clientX: number): number =>
    barAt(clientX - (box.current?.getBoundingClientRect().left ?? 0), steps.length, width);
  const open = (index: number): void => {
    const near = nearestWithCount(counts, index);
    const place = near === null ? -1 : hits.findIndex(({ address }) => parseAddress(address)?.step === steps[near]);
    if (place >= 0) onStep(place);
  };
  const shown = hover ?? counts.indexOf(Math.max(...counts));
  return (
    <div className={styles.curve}>
      <span className={styles.text}>
        {hover === null ? "most: " : ""}step {steps[shown]}, {plural(counts[shown] ?? 0, "sample")}
      </span>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list below holds the same, for the keyboard. */}
      <div
        ref={box}
        className={styles.plot}
        role="img"
        aria-label={`Samples with a hit per step, from step ${steps[0]} to ${steps.at(-1)}`}
        onPointerMove={(event) => setHover(at(event.clientX))}
        onPointerLeave={() => setHover(null)}
        onClick={(event) => open(at(event.clientX))}
      >
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          {stepBars(counts, width, HEIGHT - 2).map((bar) => (
            <rect key={bar.x} x={bar.x} width={bar.width} y={HEIGHT - bar.height} height={bar.height} />
          ))}
          {hover !== null && (
            <line
              x1={barLeft(hover + 0.5, steps.length, width)}
              x2={barLeft(hover + 0.5, steps.length, width)}
              y2={HEIGHT}
            />
          )}
        </svg>
      </div>
      <span className={styles.ends}>
        {steps[0]}–{steps.at(-1)}
      </span>
    </div>
  );
}

/** Every step from the first to the last that has a hit, and how many samples of it have one. */
export function hitsPerStep(hits: readonly Hit[]): { steps: number[]; counts: number[] } {
  const samples = new Map<number, Set<string>>();
  for (const { address } of hits) {
    const step = parseAddress(address)?.step;
    if (step !== undefined) samples.set(step, (samples.get(step) ?? new Set()).add(address));
  }
  const known = [...samples.keys()].sort((a, b) => a - b);
  const [first = 0, last = 0] = [known[0], known.at(-1)];
  // Steps without a hit are gaps; with very many steps only those with one are drawn.
  const steps = last - first < 5000 ? Array.from({ length: last - first + 1 }, (_, place) => first + place) : known;
  return { steps, counts: steps.map((step) => samples.get(step)?.size ?? 0) };
}
