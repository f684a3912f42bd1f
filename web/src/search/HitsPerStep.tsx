import { type KeyboardEvent, type PointerEvent, useMemo, useState } from "react";
import type { Hit, HitsOfSteps } from "../api/types";
import { plural } from "../lib/numbers";
import { barAt, barLeft, nearestWithCount, stepBars } from "../lib/stepBars";
import { parseAddress } from "../state/url";
import { useWidth } from "../ui/hooks/useWidth";
import styles from "./HitsPerStep.module.css";

const HEIGHT = 34;
/** Less than this is a click, not a brush. */
const BRUSH_PX = 5;

interface HitsPerStepProps {
  hits: readonly Hit[];
  /** Of all hits, once they are counted: the list may hold only the first of them. */
  counts: HitsOfSteps | null;
  isSearching: boolean;
  /** Show the hit at this place of the list. */
  onPlace: (place: number) => void;
  /** Look at these steps alone. */
  onSteps: (first: number, last: number) => void;
}

/** How many samples of each step have a hit. A click leads to a step's first hit, a brush narrows the search to its
 * steps; so does a click on a step whose hits are not in the list. */
export function HitsPerStep({ hits, counts, isSearching, onPlace, onSteps }: HitsPerStepProps) {
  const [boxRef, width, box] = useWidth<HTMLDivElement>(600);
  const [hover, setHover] = useState<number | null>(null);
  /** From which step, and where it began: bars move while hits are still being counted, steps do not. */
  const [brush, setBrush] = useState<{ from: number; x: number; moved: boolean } | null>(null);
  const { steps, samples } = useMemo(
    () => perStep(counts ? countsBySteps(counts) : countsOfHits(hits)),
    [hits, counts],
  );
  const bars = useMemo(() => stepBars(samples, width, HEIGHT - 2), [samples, width]);
  // Its room is kept while hits may still come: the list below stays where it is.
  if (steps.length < 2) return isSearching ? <div className={styles.curve} style={{ height: HEIGHT + 9 }} /> : null;
  const at = (event: PointerEvent): number =>
    barAt(event.clientX - (box.current?.getBoundingClientRect().left ?? 0), steps.length, width);
  const open = (index: number): void => {
    const near = nearestWithCount(samples, index);
    const step = near === null ? undefined : steps[near];
    if (step === undefined) return;
    const place = hits.findIndex(({ address }) => parseAddress(address)?.step === step);
    if (place >= 0) onPlace(place);
    else onSteps(step, step);
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (!brush) return;
    const here = at(event);
    setBrush(null);
    if (brush.moved) onSteps(...inOrder(brush.from, steps[here] as number));
    else open(here);
  };
  const most = samples.reduce((high, count, index) => (count > (samples[high] ?? 0) ? index : high), 0);
  const shown = hover ?? most;
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) setHover(Math.min(steps.length - 1, Math.max(0, shown + by)));
    else if (event.key === "Home") setHover(0);
    else if (event.key === "End") setHover(steps.length - 1);
    else if (event.key === "Enter") open(shown);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = (index: number): number => barLeft(index, steps.length, width);
  const says = `step ${steps[shown]}, ${plural(samples[shown] ?? 0, "sample")}`;
  const range = brush?.moved ? inOrder(Math.max(0, steps.indexOf(brush.from)), shown) : null;
  return (
    <div className={styles.curve}>
      <span className={styles.text}>
        {range
          ? `steps ${steps[range[0]]} to ${steps[range[1]]}`
          : hover === null
            ? `at most ${plural(samples[most] ?? 0, "sample")}, at step ${steps[most]}`
            : says}
      </span>
      <div
        ref={boxRef}
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label={`Samples with a hit per step, from step ${steps[0]} to ${steps.at(-1)}`}
        aria-valuemin={steps[0]}
        aria-valuemax={steps.at(-1)}
        aria-valuenow={steps[shown]}
        aria-valuetext={says}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setBrush({ from: steps[at(event)] as number, x: event.clientX, moved: false });
        }}
        onPointerMove={(event) => {
          setHover(at(event));
          if (brush && Math.abs(event.clientX - brush.x) > BRUSH_PX) setBrush({ ...brush, moved: true });
        }}
        onPointerLeave={() => setHover(null)}
        onPointerCancel={() => setBrush(null)}
        onPointerUp={onPointerUp}
        onKeyDown={onKeyDown}
        onBlur={() => setHover(null)}
      >
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          {range && (
            <rect
              className={styles.brush}
              x={left(range[0])}
              width={left(range[1] + 1) - left(range[0])}
              height={HEIGHT}
            />
          )}
          {bars.map((bar) => (
            <rect key={bar.x} x={bar.x} width={bar.width} y={HEIGHT - bar.height} height={bar.height} />
          ))}
          {hover !== null && <line x1={left(hover + 0.5)} x2={left(hover + 0.5)} y2={HEIGHT} />}
        </svg>
      </div>
      <span className={styles.ends}>
        {steps[0]}–{steps.at(-1)}
        {counts?.complete === false && ", not all"}
      </span>
    </div>
  );
}

function countsBySteps({ steps, step_samples }: HitsOfSteps): Map<number, number> {
  return new Map(steps.map((step, place) => [step, step_samples[place] ?? 0]));
}

/** A sample counts once, in however many of its texts it has a hit. */
function countsOfHits(hits: readonly Hit[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const address of new Set(hits.map((hit) => hit.address))) {
    const step = parseAddress(address)?.step;
    if (step !== undefined) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return counts;
}

/** Every step from the first to the last that has a hit. */
function perStep(counts: ReadonlyMap<number, number>): { steps: number[]; samples: number[] } {
  const known = [...counts.keys()].sort((a, b) => a - b);
  const [first = 0, last = 0] = [known[0], known.at(-1)];
  // Steps without a hit are gaps; with very many steps only those with one are drawn.
  const steps = last - first < 5000 ? Array.from({ length: last - first + 1 }, (_, place) => first + place) : known;
  return { steps, samples: steps.map((step) => counts.get(step) ?? 0) };
}

function inOrder(one: number, other: number): [number, number] {
  return one <= other ? [one, other] : [other, one];
}
