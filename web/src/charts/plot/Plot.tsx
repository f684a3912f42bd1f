/** The canvas of a chart, and what lies over it: the line of the open step, the cursor's tooltip, the keyboard's cursor. */
import "uplot/dist/uPlot.min.css";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import type uPlot from "uplot";
import { inTurn } from "../../lib/frameQueue";
import { useCharts } from "../ChartsContext";
import { formatX } from "./axisLabels";
import { useChartColours } from "./chartColours";
import { openBox, openCell } from "./filterFromChart";
import styles from "./Plot.module.css";
import { type PlotModel, placesOf, readingsAt, stepAt, structureOf, xOfStep } from "./plotModel";
import { uPlot as Canvas, plotOptions, reachOf } from "./plotOptions";
import { Tooltip, type TooltipPlace, tooltipText } from "./Tooltip";

interface PlotProps {
  readonly model: PlotModel;
  readonly height: number;
  /** What the chart is called, for screen readers. */
  readonly label: string;
  /** The open run's value under the cursor of another chart. */
  readonly onReadout: (value: number | null) => void;
}

/** A click that moved less than this is a click, not a drag. */
const CLICK_PIXELS = 5;

export function Plot({ model, height, label, onReadout }: PlotProps) {
  const { step, openStep, listSteps, zoom: shared, setZoom } = useCharts();
  const zoom = shared?.axis === model.axis ? shared : null;
  const { colours, generation } = useChartColours();
  const host = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [tooltip, setTooltip] = useState<TooltipPlace | null>(null);
  const [place, setPlace] = useState<number | null>(null);
  // uPlot's callbacks live as long as its canvas; they read what is current from here.
  const now = useRef({ model, zoom, step, place, pointed: false, openStep, listSteps, setZoom, onReadout });
  now.current = { ...now.current, model, zoom, step, place, openStep, listSteps, setZoom, onReadout };

  const structure = structureOf(model);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another structure, theme or height is another canvas; the rest is given to the one there is.
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    let giveUp = (): void => undefined;
    let stop = (): void => undefined;
    // Told of its width when the page has laid itself out, a chart need not make it do so in the middle of a frame.
    const sized = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width === 0) return;
      giveUp();
      if (plot.current) setWidth(plot.current, width);
      else
        giveUp = inTurn(() => {
          stop = draw(element, width);
        });
    });
    sized.observe(element);
    return () => {
      sized.disconnect();
      giveUp();
      stop();
    };
  }, [structure, generation, height]);

  function setWidth(canvas: uPlot, width: number): void {
    if (width !== canvas.width) canvas.setSize({ width, height });
  }

  /** Make the canvas. Returns a function that takes it away. */
  function draw(element: HTMLDivElement, width: number): () => void {
    const created = new Canvas(
      plotOptions(now.current.model, { width, height }, colours, {
        model: () => now.current.model,
        zoom: () => now.current.zoom,
        onBrush: brushed,
        onCursor: (canvas) => cursorMoved(canvas),
        onPlaced: (canvas) => placeMark(canvas),
      }),
      now.current.model.data,
      // Drawn at once, so that its turn ends when the drawing does; and before it is part of the page, whose styles each
      // font of a canvas in it would bring up to date.
      (canvas, begin) => canvas.batch(begin),
    );
    element.append(created.root);
    plot.current = created;
    // The keyboard may have come before the canvas, which waits for its turn.
    if (now.current.place !== null) putCursor(created, placesOf(now.current.model)[now.current.place]);
    const stopListening = listen(created);
    return () => {
      stopListening();
      setTooltip(null);
      plot.current = null;
      created.destroy();
    };
  }

  // A zoom changes what the scales' range functions answer; uPlot asks them when it is given data.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `zoom` is read through `now`.
  useLayoutEffect(() => plot.current?.setData(model.data), [model, zoom]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark's place depends on these alone.
  useLayoutEffect(() => {
    if (plot.current) placeMark(plot.current);
  }, [step, model]);

  function placeMark(canvas: uPlot): void {
    const line = mark.current;
    if (!line) return;
    const { model: current, step: at } = now.current;
    const x = at === null ? null : xOfStep(current, at);
    const { min, max } = canvas.scales.x ?? {};
    const shown = x !== null && min != null && max != null && x >= min && x <= max;
    line.hidden = !shown;
    if (!shown) return;
    const { left, top, height: tall } = canvas.bbox;
    const ratio = Canvas.pxRatio;
    line.style.left = `${left / ratio + canvas.valToPos(x, "x")}px`;
    line.style.top = `${top / ratio}px`;
    line.style.height = `${tall / ratio}px`;
  }

  /** A box on a distribution filters; a stretch of steps zooms, and is listed where samples stand beside the charts. */
  function brushed(x: [number, number] | null, y: [number, number] | null): void {
    const { model: current, setZoom: zoomTo, listSteps: list } = now.current;
    const { source, data } = current.heat ?? {};
    const steps = x && { first: Math.ceil(x[0]), last: Math.floor(x[1]) };
    if (y && source && data) {
      openBox(source, data.edges, steps, y);
      return;
    }
    if (!x) return;
    zoomTo({ axis: current.axis, min: x[0], max: x[1] });
    if (list && steps && current.axis === "step" && steps.first <= steps.last) list(steps.first, steps.last);
  }

  function cursorMoved(canvas: uPlot): void {
    const { left = -1, top = 0 } = canvas.cursor;
    const { model: current, pointed, onReadout: readout } = now.current;
    if (left < 0) {
      setTooltip(null);
      readout(null);
      return;
    }
    const x = canvas.posToVal(left, "x");
    if (!pointed) {
      readout(readingsAt(current, x, reachOf(canvas))[0]?.value ?? null);
      return;
    }
    // The event knows where it happened; asking the page would make it lay itself out on every move.
    const event = canvas.cursor.event;
    const over = event ? null : canvas.over.getBoundingClientRect();
    setTooltip({
      left: event ? event.clientX : (over?.left ?? 0) + left,
      top: event ? event.clientY : (over?.top ?? 0) + top,
      x,
      y: canvas.posToVal(top, "y"),
      reach: reachOf(canvas),
    });
  }

  function listen(canvas: uPlot): () => void {
    const over = canvas.over;
    let downAt: number | null = null;
    const enter = () => {
      now.current.pointed = true;
    };
    const leave = () => {
      now.current.pointed = false;
      setTooltip(null);
    };
    const down = (event: MouseEvent) => {
      downAt = event.clientX;
    };
    const click = (event: MouseEvent) => {
      const moved = downAt === null ? 0 : Math.abs(event.clientX - downAt);
      if (moved > CLICK_PIXELS) return;
      const box = over.getBoundingClientRect();
      const { model: current } = now.current;
      const at = stepAt(current, canvas.posToVal(event.clientX - box.left, "x"));
      if (at === null) return;
      const { source, data } = current.heat ?? {};
      if (source && data) openCell(source, data.edges, at, canvas.posToVal(event.clientY - box.top, "y"));
      else now.current.openStep(at);
    };
    over.addEventListener("mouseenter", enter);
    over.addEventListener("mouseleave", leave);
    over.addEventListener("mousedown", down);
    over.addEventListener("click", click);
    return () => {
      over.removeEventListener("mouseenter", enter);
      over.removeEventListener("mouseleave", leave);
      over.removeEventListener("mousedown", down);
      over.removeEventListener("click", click);
    };
  }

  /** The keyboard's cursor is uPlot's own, so the other charts follow it too. */
  function visit(next: number): void {
    setPlace(next);
    if (plot.current) putCursor(plot.current, placesOf(model)[next]);
  }

  function putCursor(canvas: uPlot, x: number | undefined): void {
    if (x === undefined) return;
    now.current.pointed = true;
    const move = canvas.setCursor as (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;
    move({ left: canvas.valToPos(x, "x"), top: canvas.over.clientHeight / 3 }, true, true);
  }

  function leaveCursor(): void {
    setPlace(null);
    now.current.pointed = false;
    const move = plot.current?.setCursor as ((at: object, fire: boolean, publish: boolean) => void) | undefined;
    move?.({ left: -10, top: -10 }, true, true);
  }

  const xs = placesOf(model);
  const openPlace = step === null ? -1 : xs.indexOf(xOfStep(model, step) ?? Number.NaN);
  const current = place !== null && place < xs.length ? place : openPlace >= 0 ? openPlace : xs.length - 1;

  function onKeyDown(event: KeyboardEvent): void {
    const stride = event.shiftKey ? 10 : 1;
    const targets: Record<string, number> = {
      ArrowLeft: Math.max(0, current - stride),
      ArrowRight: Math.min(xs.length - 1, current + stride),
      Home: 0,
      End: xs.length - 1,
    };
    const target = targets[event.key];
    if (target !== undefined && xs.length > 0) visit(target);
    else if (event.key === "Enter" && xs[current] !== undefined) {
      const at = stepAt(model, xs[current] as number);
      if (at !== null) openStep(at);
    } else if (event.key === "Escape" && (place !== null || zoom)) {
      leaveCursor();
      setZoom(null);
    } else return;
    // The page's own arrow keys (previous and next sample) must not move as well.
    event.preventDefault();
    event.stopPropagation();
  }

  const x = xs[current];
  return (
    <div
      ref={host}
      className={styles.plot}
      style={{ height }}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={xs[0] ?? 0}
      aria-valuemax={xs.at(-1) ?? 0}
      aria-valuenow={x ?? 0}
      aria-valuetext={x === undefined ? "no values" : `${formatX(x, model.axis)}: ${tooltipText(model, x)}`}
      onKeyDown={onKeyDown}
      onBlur={leaveCursor}
      onDoubleClick={() => setZoom(null)}
    >
      <div ref={mark} className={styles.mark} hidden />
      {tooltip && host.current && <Tooltip model={model} place={tooltip} host={host.current} />}
    </div>
  );
}
