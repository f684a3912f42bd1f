/** uPlot's options for a chart: hairlines, small figures, the colours of the theme. */
import uPlot from "uplot";
import { nearest } from "../series/series";
import type { BandData } from "../series/useChartData";
import { heatRange, isDrawable, ticks, xReach, yRange } from "./axis";
import { formatLogTicks, formatTicks, xTicks } from "./axisLabels";
import type { ChartColours } from "./chartColours";
import { heatColumns, ink } from "./heatMap";
import { type PlotModel, placesOf } from "./plotModel";

const FAINT = 0.32;
const FONT = '11px "Inter Variable", system-ui, sans-serif';
/** One key for all charts of an axis: the cursor is at the same x on each. A heat map keeps to steps on any axis. */
const syncKey = (model: PlotModel): string => `rollscope ${model.axis}`;

export interface PlotHooks {
  readonly model: () => PlotModel;
  readonly zoom: () => { readonly min: number; readonly max: number } | null;
  /** Dragged out: a stretch of the x axis, of the y axis of a heat map, or both. */
  readonly onBrush: (x: [number, number] | null, y: [number, number] | null) => void;
  readonly onCursor: (plot: uPlot) => void;
  /** The scales or the size changed: what lies over the canvas must move. */
  readonly onPlaced: (plot: uPlot) => void;
}

export function plotOptions(
  model: PlotModel,
  size: { readonly width: number; readonly height: number },
  colours: ChartColours,
  hooks: PlotHooks,
): uPlot.Options {
  const { log } = model.settings;
  const figures = { stroke: colours.faint, font: FONT, ticks: { show: false }, gap: 4 };
  return {
    ...size,
    legend: { show: false },
    padding: [6, 8, 0, 0],
    // The clock of the reader's own time zone, which uPlot's time axis splits well.
    scales: {
      x: { time: model.axis === "wall", range: (_plot, min, max) => xRange(hooks, min, max) },
      y: { distr: log ? 3 : 1, range: (plot) => visibleRange(plot, hooks.model()) },
    },
    axes: [
      {
        ...figures,
        grid: { show: false },
        border: { show: true, stroke: colours.line, width: 1 },
        size: 20,
        space: model.axis === "step" ? 46 : 64,
        ...(model.axis === "wall" ? {} : { incrs: model.axis === "step" ? WHOLE_STEPS : DURATIONS }),
        values: (_plot, places) => xTicks(model.axis)(places),
      },
      {
        ...figures,
        grid: { stroke: colours.line, width: 1 },
        size: (_plot, labels) => 10 + 6.6 * Math.max(2, ...(labels ?? []).map((label) => label?.length ?? 0)),
        space: Y_SPACE,
        ...(log ? {} : anyMagnitude(hooks)),
        values: (_plot, places) => (log ? formatLogTicks : formatTicks)(places),
      },
    ],
    series: [{}, ...strokes(model, colours, hooks)],
    cursor: {
      y: false,
      points: { size: 6, width: 1.5, stroke: () => colours.panel },
      // uPlot takes a click that follows a move at once for a drag's end and swallows it; Plot tells them apart itself.
      // On a heat map a box is drawn; one that is flat or narrow goes over the whole of the other axis.
      drag: { x: true, y: model.heat !== null, uni: 16, setScale: false, dist: 6, click: () => undefined },
      // Only the cursor is shared through uPlot. A zoom is the page's, so that charts not drawn yet have it too.
      sync: { key: syncKey(model), setSeries: false, scales: ["x", null], filters: { pub: moves, sub: moves } },
      dataIdx: (plot, series, _index, x) => indexOf(plot, hooks.model(), series, x),
      focus: { prox: -1 },
    },
    hooks: {
      setCursor: [hooks.onCursor],
      setScale: [hooks.onPlaced],
      setSize: [hooks.onPlaced],
      setSelect: [
        (plot) => {
          const { left, top, width, height } = plot.select;
          const tall = plot.bbox.height / uPlot.pxRatio;
          const wide = plot.bbox.width / uPlot.pxRatio;
          const x: [number, number] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
          const y: [number, number] = [plot.posToVal(top + height, "y"), plot.posToVal(top, "y")];
          const isBrushed = width > 0 && height > 0;
          if (isBrushed) hooks.onBrush(width < wide - 1 ? x : null, height < tall - 1 ? y : null);
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      drawAxes: [(plot) => (model.heat ? paintHeat : paintBand)(plot, hooks.model(), colours)],
    },
  };
}

/** Pixels from one figure of the Y axis to the next, at least. */
const Y_SPACE = 26;

/** uPlot's own ticks need seventeen digits to do and distances between 1e-32 and 1e32: outside of that it finds none, or
 * counts up in steps too small to move and never ends. It asks `incrs` only whether there is a distance that fits. */
const anyMagnitude = (hooks: PlotHooks): Pick<uPlot.Axis, "incrs" | "splits"> => ({
  incrs: () => [Number.MAX_VALUE],
  splits: (plot, _axis, min, max) =>
    ticks(min, max, Math.floor(plot.bbox.height / uPlot.pxRatio / Y_SPACE), hooks.model().bounds),
});

const WHOLE_STEPS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power))
  .sort((p, q) => p - q);

/** Seconds, minutes, hours and days that people count in. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DURATIONS = [
  ...[0.1, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((days) => days * DAY),
];

function moves(type: string): boolean {
  return type === "mousemove";
}

/** The first metric of several is a full line. */
const DASHES = [[], [6, 3], [2, 2], [9, 3, 2, 3]];

function strokes(model: PlotModel, colours: ChartColours, hooks: PlotHooks): uPlot.Series[] {
  if (model.heat) return [{ show: true, points: { show: false } }];
  return model.strokes.map(({ run, faint }, index) => {
    const colour = colours.of(run.colour);
    return {
      stroke: colour,
      width: faint ? 1 : 1.5,
      ...(run.dash ? { dash: DASHES[run.dash % DASHES.length] as number[] } : {}),
      alpha: faint ? FAINT : 1,
      gaps: (plot, _series, _first, _last, missing) => withBreaks(plot, missing, hooks.model().strokes[index]?.breaks),
      points: {
        show: false,
        size: 4,
        fill: colour,
        stroke: colour,
        filter: () => hooks.model().strokes[index]?.dots ?? null,
      },
    } satisfies uPlot.Series;
  });
}

/** The gaps of missing values, in pixels, and those in which the run paused. */
function withBreaks(
  plot: uPlot,
  missing: uPlot.Series.Gaps,
  breaks: readonly (readonly [number, number])[] = [],
): uPlot.Series.Gaps {
  if (breaks.length === 0) return missing;
  const pixel = (x: number): number => Math.round(plot.valToPos(x, "x", true));
  const paused = breaks.map(([from, to]): [number, number] => [pixel(from), pixel(to)]);
  return [...missing, ...paused].sort(([a], [b]) => a - b);
}

function xRange(hooks: PlotHooks, min: number | null, max: number | null): [number, number] {
  const zoom = hooks.zoom();
  if (zoom && isDrawable(zoom.min, zoom.max)) return [zoom.min, zoom.max];
  const model = hooks.model();
  return min === null || max === null ? [0, 1] : xReach(placesOf(model), min, max, model.axis, model.heat !== null);
}

function visibleRange(plot: uPlot, model: PlotModel): [number, number] {
  if (model.heat) return heatRange(model.heat.data.edges, model.settings);
  const xs = plot.data[0];
  const [from, to] = plot.series[0]?.idxs ?? [0, xs.length - 1];
  const isWhole = from === 0 && to === xs.length - 1;
  const all = plot.data.slice(1) as (number | null)[][];
  const columns = isWhole ? all : all.map((column) => column.slice(from, to + 1));
  return yRange([...columns, ...bandWithin(model, xs[from] as number, xs[to] as number)], model.settings, model.bounds);
}

/** The band's ends between two places of the x axis; on a logarithmic axis it stretches nothing. */
function bandWithin({ band, settings }: PlotModel, from: number, to: number): (number | null)[][] {
  if (!band || settings.log) return [];
  const seen = (values: readonly (number | null)[]) =>
    values.filter((_, place) => (band.x[place] as number) >= from && (band.x[place] as number) <= to);
  return [seen(band.low), seen(band.high)];
}

/** The spread around the mean, as a pale area behind the lines, broken where it is not known and where the run paused. */
function paintBand(plot: uPlot, { band, settings, strokes }: PlotModel, colours: ChartColours): void {
  if (!band || settings.log) return;
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colours.of(band.run.colour);
  ctx.globalAlpha = 0.13;
  const paused = new Set(strokes.find(({ run }) => run === band.run)?.breaks.map(([from]) => from));
  const isKnown = (place: number): boolean => band.low[place] != null && band.high[place] != null;
  let start = 0;
  while (start < band.x.length) {
    let end = start;
    while (end < band.x.length && isKnown(end)) {
      end += 1;
      if (paused.has(band.x[end - 1] as number)) break;
    }
    if (end > start) fillBetween(plot, band, start, end);
    start = Math.max(end, start + 1);
  }
  ctx.restore();
}

function fillBetween(plot: uPlot, band: BandData, start: number, end: number): void {
  const { ctx } = plot;
  const point = (place: number, values: readonly (number | null)[]): [number, number] => [
    plot.valToPos(band.x[place] as number, "x", true),
    plot.valToPos(values[place] as number, "y", true),
  ];
  ctx.beginPath();
  for (let place = start; place < end; place += 1) ctx.lineTo(...point(place, band.high));
  for (let place = end - 1; place >= start; place -= 1) ctx.lineTo(...point(place, band.low));
  ctx.closePath();
  ctx.fill();
}

/** The point a line's cursor dot sits on: the nearest that the run has, if there is one near. */
function indexOf(plot: uPlot, model: PlotModel, series: number, x: number): number | null {
  const xs = plot.data[0] as unknown as number[];
  if (series === 0) return nearest(xs, x);
  const stroke = model.strokes[series - 1];
  if (!stroke || stroke.faint) return null;
  const line = model.lines[stroke.line]?.line;
  if (!line) return null;
  const place = nearest(line.x, x, reachOf(plot));
  return place === null ? null : nearest(xs, line.x[place] as number);
}

/** How far, in x, the cursor reaches: a finger's width of pixels. */
export function reachOf(plot: uPlot): number {
  return Math.abs(plot.posToVal(10, "x") - plot.posToVal(0, "x"));
}

function paintHeat(plot: uPlot, model: PlotModel, colours: ChartColours): void {
  if (!model.heat) return;
  const { run, data } = model.heat;
  const { ctx, bbox } = plot;
  const { edges } = data;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colours.of(run.colour);
  for (const { from, to, shares } of heatColumns(data, bbox.width)) {
    const left = Math.round(plot.valToPos(from, "x", true));
    const right = Math.round(plot.valToPos(to, "x", true));
    if (right < bbox.left || left > bbox.left + bbox.width) continue;
    shares.forEach((share, bin) => {
      if (share <= 0) return;
      const top = Math.round(plot.valToPos(edges[bin + 1] as number, "y", true));
      const bottom = Math.round(plot.valToPos(edges[bin] as number, "y", true));
      ctx.globalAlpha = ink(share);
      ctx.fillRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
    });
  }
  ctx.restore();
}

export { uPlot };
