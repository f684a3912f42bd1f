import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { fieldName } from "../../api/fields";
import type { ScatterPoints } from "../../api/types";
import { formatCount, formatValue } from "../../lib/numbers";
import { readColour, useThemeGeneration } from "../../state/theme";
import { paint } from "./paintPoints";
import styles from "./ScatterPlot.module.css";
import {
  type Box,
  nearest,
  orderedBy,
  othersAt,
  paddedRange,
  place,
  type Range,
  ticks,
  valueAt,
} from "./scatterGeometry";

/** Less than this is a click, not a box. */
const BOX_PX = 5;
const REACH_PX = 12;

interface ScatterPlotProps {
  points: ScatterPoints;
  /** The colour token of an environment, by its code. */
  colourOf: (code: number) => string;
  onOpen: (nth: number) => void;
  onBox: (box: Box) => void;
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

/** All points on one canvas. A click opens one, a box filters; the arrows go from point to point. */
export function ScatterPlot({ points, colourOf, onOpen, onBox }: ScatterPlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  const [current, setCurrent] = useState<number | null>(null);
  /** Two corners of a box that is being drawn, in pixels. */
  const [drawn, setDrawn] = useState<{ from: Corner; to: Corner; byKey: boolean } | null>(null);
  const generation = useThemeGeneration();

  useLayoutEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  // An integer that no number holds comes as a text: it is drawn where its number is, and told as it is.
  const xs = useMemo(() => points.xs.map(Number), [points.xs]);
  const ys = useMemo(() => points.ys.map(Number), [points.ys]);
  const xRange = useMemo(() => paddedRange(xs), [xs]);
  const yRange = useMemo(() => paddedRange(ys), [ys]);
  const px = useMemo(() => Float32Array.from(xs, (value) => place(value, xRange, width)), [xs, xRange, width]);
  const py = useMemo(
    () => Float32Array.from(ys, (value) => height - place(value, yRange, height)),
    [ys, yRange, height],
  );
  // Ordering a hundred thousand points takes a moment: it is done when the keyboard first asks for it.
  const orders = useMemo(() => ({ byX: once(() => orderedBy(xs, ys)), byY: once(() => orderedBy(ys, xs)) }), [xs, ys]);
  const others = useMemo(() => (current === null ? 0 : othersAt(points.xs, points.ys, current)), [points, current]);
  // Other points than those that one was marked of.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it depends on is which points there are.
  useEffect(() => {
    setCurrent(null);
    setDrawn(null);
  }, [points]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are others when the theme's generation is.
  useEffect(() => {
    if (!canvas.current || width === 0) return;
    const colours = points.envs.map((_, code) => readColour(colourOf(code)));
    return paint(canvas.current, { width, height, px, py, codes: points.env_codes, colours });
  }, [points, colourOf, width, height, px, py, generation]);

  const at = (event: PointerEvent): Corner => {
    const { left, top } = (box.current as HTMLDivElement).getBoundingClientRect();
    return { x: clamp(event.clientX - left, width), y: clamp(event.clientY - top, height) };
  };
  const finish = (from: Corner, to: Corner): void => {
    const x = sorted(valueAt(from.x, xRange, width), valueAt(to.x, xRange, width));
    const y = sorted(valueAt(height - from.y, yRange, height), valueAt(height - to.y, yRange, height));
    onBox({ x, y });
  };
  const isBox = drawn !== null && (drawn.byKey || distance(drawn.from, drawn.to) > BOX_PX);
  const onPointerUp = (event: PointerEvent): void => {
    if (!drawn || drawn.byKey) return;
    const to = at(event);
    setDrawn(null);
    const nth = nearest(px, py, to.x, to.y, REACH_PX);
    if (distance(drawn.from, to) > BOX_PX) finish(drawn.from, to);
    else if (nth !== null) onOpen(nth);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event, current, orders.byX, orders.byY);
    if (next !== null) setCurrent(next);
    else if (event.key === "Enter" && current !== null) onOpen(current);
    else if (event.key === " " && current !== null) {
      const here = { x: px[current] as number, y: py[current] as number };
      // A little more than the two points themselves: they lie in the box.
      if (drawn?.byKey) finish(...around(drawn.from, here));
      else setDrawn({ from: here, to: here, byKey: true });
    } else if (event.key === "Escape") {
      setDrawn(null);
      setCurrent(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== null && drawn?.byKey) {
      setDrawn({ ...drawn, to: { x: px[next] as number, y: py[next] as number } });
    }
  };
  const says = current === null ? null : describe(points, current, others);

  return (
    <div className={styles.plot}>
      <Axis className={styles.yAxis} range={yRange} size={height} about={height / 60} vertical />
      <div
        ref={box}
        className={styles.area}
        role="slider"
        tabIndex={0}
        aria-label={`Points: ${fieldName(points.y)} by ${fieldName(points.x)}`}
        aria-describedby="scatter-keys"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, xs.length - 1)}
        aria-valuenow={current ?? 0}
        aria-valuetext={says ?? "no point chosen"}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn({ from: at(event), to: at(event), byKey: false });
        }}
        onPointerMove={(event) => {
          const to = at(event);
          if (drawn && !drawn.byKey) setDrawn({ ...drawn, to });
          else if (!drawn) setCurrent(nearest(px, py, to.x, to.y, REACH_PX));
        }}
        onPointerLeave={() => {
          if (!drawn) setCurrent(null);
        }}
        onPointerCancel={() => setDrawn(null)}
        onPointerUp={onPointerUp}
        onKeyDown={onKeyDown}
      >
        <Grid xRange={xRange} yRange={yRange} width={width} height={height} />
        <canvas ref={canvas} />
        {isBox && <span className={styles.box} style={rectangle(drawn.from, drawn.to)} />}
        {current !== null && (
          <>
            <span className={styles.ring} style={{ left: px[current], top: py[current] }} />
            <span
              className={styles.tip}
              data-left={(px[current] as number) > width / 2 || undefined}
              data-low={(py[current] as number) < 60 || undefined}
              style={{ left: px[current], top: py[current] }}
            >
              {says}
            </span>
          </>
        )}
      </div>
      <Axis className={styles.xAxis} range={xRange} size={width} about={width / 110} />
      <span className={styles.xName}>{fieldName(points.x)}</span>
      <span className={styles.yName}>{fieldName(points.y)}</span>
    </div>
  );
}

function describe(points: ScatterPoints, nth: number, others: number): string {
  const { split, steps, indexes, xs, ys, x, y, envs, env_codes } = points;
  return [
    `${split}/${steps[nth]}/${indexes[nth]}`,
    envs[env_codes[nth] as number],
    `${fieldName(x)} ${formatValue(xs[nth])}`,
    `${fieldName(y)} ${formatValue(ys[nth])}`,
    others > 0 ? `and ${formatCount(others)} more here` : null,
  ]
    .filter(Boolean)
    .join(" · ");
}

type Order = () => Uint32Array;

/** The order, made at its first use. */
function once(make: Order): Order {
  let made: Uint32Array | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** The point that an arrow leads to; null where the key is none. */
function moved({ key, shiftKey }: KeyboardEvent, current: number | null, byX: Order, byY: Order) {
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key];
  if (key === "Home") return byX()[0] ?? null;
  if (key === "End") return byX().at(-1) ?? null;
  if (by === undefined) return null;
  const order = key === "ArrowUp" || key === "ArrowDown" ? byY() : byX();
  if (current === null) return order[0] ?? null;
  // With Shift a hundredth of all points: a hundred thousand are not walked through one by one.
  const stride = shiftKey ? Math.max(1, Math.round(order.length / 100)) : 1;
  const wanted = order.indexOf(current) + by * stride;
  return order[Math.min(order.length - 1, Math.max(0, wanted))] ?? null;
}

function Axis(props: { className: string | undefined; range: Range; size: number; about: number; vertical?: boolean }) {
  const { className, range, size, about, vertical = false } = props;
  return (
    <div className={className} aria-hidden="true">
      {size > 0 &&
        ticks(range, about).map((value) => {
          const where = place(value, range, size);
          return (
            <span key={value} style={vertical ? { bottom: where } : { left: where }}>
              {formatValue(value)}
            </span>
          );
        })}
    </div>
  );
}

function Grid({ xRange, yRange, width, height }: { xRange: Range; yRange: Range; width: number; height: number }) {
  return (
    <svg className={styles.grid} width={width} height={height} aria-hidden="true">
      {ticks(xRange, width / 110).map((value) => {
        const x = place(value, xRange, width);
        return <line key={`x${value}`} x1={x} x2={x} y1={0} y2={height} />;
      })}
      {ticks(yRange, height / 60).map((value) => {
        const y = height - place(value, yRange, height);
        return <line key={`y${value}`} x1={0} x2={width} y1={y} y2={y} />;
      })}
    </svg>
  );
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
const sorted = (a: number, b: number): Range => ({ low: Math.min(a, b), high: Math.max(a, b) });
const distance = (a: Corner, b: Corner): number => Math.hypot(a.x - b.x, a.y - b.y);

function around(a: Corner, b: Corner): [Corner, Corner] {
  return [
    { x: Math.min(a.x, b.x) - 0.5, y: Math.min(a.y, b.y) - 0.5 },
    { x: Math.max(a.x, b.x) + 0.5, y: Math.max(a.y, b.y) + 0.5 },
  ];
}

function rectangle(a: Corner, b: Corner) {
  return {
    left: Math.min(a.x, b.x),
    top: Math.min(a.y, b.y),
    width: Math.abs(a.x - b.x),
    height: Math.abs(a.y - b.y),
  };
}
