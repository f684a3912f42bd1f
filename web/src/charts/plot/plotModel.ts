/** What a chart's canvas draws, free of React: columns for uPlot, and where each comes from. */
import type uPlot from "uplot";
import type { ChartRun } from "../ChartsContext";
import type { ChartSettings } from "../series/chartSettings";
import { align, isolated, nearest, pauses, type XAxis } from "../series/series";
import type { BandData, ChartData, HeatSource, RunLine } from "../series/useChartData";
import type { Range } from "./axis";
import type { HeatData } from "./heatMap";

/** A column of uPlot's, after x. */
interface Stroke {
  readonly run: ChartRun;
  /** A raw line behind its smoothed one is faint. */
  readonly faint: boolean;
  /** Which of `lines` it draws. */
  readonly line: number;
  /** Places to mark with a dot, since no line leads there. */
  readonly dots: number[];
  /** From where to where, in x, no line is drawn: the run paused. */
  readonly breaks: readonly (readonly [number, number])[];
}

export interface PlotModel {
  readonly axis: XAxis;
  readonly settings: ChartSettings;
  readonly bounds: Range | null;
  readonly lines: readonly RunLine[];
  readonly heat: { readonly run: ChartRun; readonly data: HeatData; readonly source: HeatSource | null } | null;
  readonly band: BandData | null;
  readonly strokes: readonly Stroke[];
  readonly data: uPlot.AlignedData;
}

export function plotModel(
  data: Extract<ChartData, { state: "lines" | "heat" }>,
  axis: XAxis,
  settings: ChartSettings,
  bounds: Range | null = null,
): PlotModel {
  if (data.state === "heat") {
    const steps = [...data.heat.steps];
    return {
      axis: "step",
      settings: { ...settings, log: false },
      bounds: null,
      lines: [],
      heat: { run: data.run, data: data.heat, source: data.source ?? null },
      band: null,
      strokes: [],
      data: [steps, new Array<null>(steps.length).fill(null)] as unknown as uPlot.AlignedData,
    };
  }
  const { lines } = data;
  const aligned = align(lines.map(({ line }) => line));
  // Drawn from the last run to the first, raw lines below the smoothed ones: the open run lies on top.
  const order = lines.map((_, i) => lines.length - 1 - i);
  const drawn = [
    ...order.filter((i) => aligned.smooth[i]).map((i) => ({ i, faint: true, column: aligned.raw[i] })),
    ...order.map((i) => ({ i, faint: false, column: aligned.smooth[i] ?? aligned.raw[i] })),
  ];
  return {
    axis,
    settings,
    bounds,
    lines,
    heat: null,
    band: data.band ?? null,
    strokes: drawn.map(({ i, faint, column }) => stroke(lines, i, faint, column ?? [], aligned.x, axis)),
    data: [aligned.x, ...drawn.map(({ column }) => column)] as uPlot.AlignedData,
  };
}

function stroke(
  lines: readonly RunLine[],
  line: number,
  faint: boolean,
  column: ArrayLike<number | null | undefined>,
  xs: readonly number[],
  axis: XAxis,
): Stroke {
  const { run, line: drawn } = lines[line] as RunLine;
  const after = axis === "step" ? [] : pauses(drawn);
  const breaks = after.map((i) => [drawn.x[i] as number, drawn.x[i + 1] as number] as const);
  // A point between two pauses, or between one and an end of the line, stands alone.
  const ends = [-1, ...after, drawn.x.length - 1];
  const alone = ends.slice(1).filter((end, i) => breaks.length > 0 && end - (ends[i] as number) === 1);
  const dots = alone.map((place) => xs.indexOf(drawn.x[place] as number)).filter((place) => column[place] != null);
  return { run, faint, line, dots: [...isolated(column), ...dots], breaks };
}

/** What makes a canvas another canvas. While it stays the same, new points are given to the one there is. */
export function structureOf(model: PlotModel): string {
  const strokes = model.strokes.map(({ run, faint }) => `${run.colour}${run.dash ?? ""}${faint ? "~" : ""}`).join(" ");
  return `${model.heat ? `heat ${model.heat.run.colour}` : "lines"} ${model.axis} ${model.settings.log} ${strokes}`;
}

export interface Reading {
  readonly run: ChartRun;
  /** Smoothed where the line is. */
  readonly value: number | null;
  readonly isSmooth: boolean;
  readonly raw: number | null;
  /** "NaN" where that is what was logged. */
  readonly named: string | null;
  readonly step: number;
}

/** What each run has at x. A run with no point near (it ended, it logs every tenth step) has no reading. */
export function readingsAt(model: PlotModel, x: number, reach: number): Reading[] {
  return model.lines.flatMap(({ run, line }): Reading[] => {
    const place = nearest(line.x, x, Math.max(reach, line.spacing * 0.75));
    if (place === null) return [];
    const raw = line.raw[place] ?? null;
    return [
      {
        run,
        raw,
        value: line.smooth ? (line.smooth[place] ?? null) : raw,
        isSmooth: line.smooth !== null,
        named: line.named.get(place) ?? null,
        step: line.steps[place] as number,
      },
    ];
  });
}

/** The step at x: that of the nearest point of any run, the open run's when several are as near. */
export function stepAt(model: PlotModel, x: number): number | null {
  if (model.heat) {
    const place = nearest(model.heat.data.steps, x);
    return place === null ? null : (model.heat.data.steps[place] as number);
  }
  let best: { distance: number; step: number } | null = null;
  for (const { line } of model.lines) {
    const place = nearest(line.x, x);
    if (place === null) continue;
    const distance = Math.abs((line.x[place] as number) - x);
    if (best === null || distance < best.distance) best = { distance, step: line.steps[place] as number };
  }
  return best?.step ?? null;
}

/** Where a step lies on the x axis: itself, or the time the open run was there. Null when it was not. */
export function xOfStep(model: PlotModel, step: number): number | null {
  if (model.axis === "step") return step;
  const line = model.lines[0]?.line;
  if (!line) return null;
  const place = line.steps.indexOf(step);
  return place < 0 ? null : (line.x[place] as number);
}

/** The places the keyboard visits: every x that has a point. */
export function placesOf(model: PlotModel): readonly number[] {
  return model.data[0] as unknown as readonly number[];
}
