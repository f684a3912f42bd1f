/** A chart as a file: its values as CSV, its picture as PNG. */

import { chartColours } from "./chartColours";
import { chartCsv, fileName } from "./chartCsv";
import type { PlotModel } from "./plotModel";
import { type PlotHooks, plotOptions, uPlot } from "./plotOptions";

export function saveCsv(metric: string, model: PlotModel, span: number | null): void {
  const text = model.heat
    ? heatCsv(model)
    : chartCsv(
        model.lines.map(({ run, line }) => ({ run: run.name, line })),
        model.axis,
        span,
      );
  download(new Blob([text], { type: "text/csv;charset=utf-8" }), fileName(metric, "csv"));
}

function heatCsv({ heat }: PlotModel): string {
  if (!heat) return "";
  const { steps, edges, counts } = heat.data;
  const head = ["step", ...edges.slice(1).map((edge, bin) => `${edges[bin]}..${edge}`)];
  const rows = steps.map((step, i) => [step, ...(counts[i] ?? [])].join(","));
  return `${[head.join(","), ...rows].join("\r\n")}\r\n`;
}

const SIZE = { width: 960, height: 420 };
const MARGIN = 16;
const TITLE = 24;
const LEGEND = 19;

/** Drawn anew, large enough for a slide, with its name above and the runs' names below, on the theme's own ground. */
export async function savePng(metric: string, title: string, model: PlotModel): Promise<void> {
  const host = document.createElement("div");
  host.style.cssText = "position: fixed; left: -10000px; top: 0";
  document.body.append(host);
  const plot = new uPlot(plotOptions(model, SIZE, chartColours, inert(model)), model.data, host);
  // uPlot draws in a microtask of its own.
  await new Promise((drawn) => setTimeout(drawn, 0));
  const picture = framed(plot.ctx.canvas, title, model);
  plot.destroy();
  host.remove();
  picture.toBlob((blob) => {
    if (blob) download(blob, fileName(metric, "png"));
  }, "image/png");
}

const nothing = () => undefined;
const inert = (model: PlotModel): PlotHooks => ({
  model: () => model,
  zoom: () => null,
  onBrush: nothing,
  onCursor: nothing,
  onPlaced: nothing,
});

function framed(source: HTMLCanvasElement, title: string, model: PlotModel): HTMLCanvasElement {
  const ratio = source.width / SIZE.width;
  const runs = model.heat ? [model.heat.run] : model.lines.map(({ run }) => run);
  const picture = document.createElement("canvas");
  picture.width = source.width + 2 * MARGIN * ratio;
  picture.height = source.height + (2 * MARGIN + TITLE + LEGEND * runs.length) * ratio;
  const ctx = picture.getContext("2d");
  if (!ctx) return picture;
  ctx.fillStyle = chartColours.panel;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.drawImage(source, MARGIN * ratio, (MARGIN + TITLE) * ratio);
  ctx.scale(ratio, ratio);
  ctx.textBaseline = "middle";
  ctx.fillStyle = chartColours.text;
  ctx.font = '600 14px "Inter Variable", system-ui, sans-serif';
  ctx.fillText(title, MARGIN, MARGIN + TITLE / 2 - 3);
  ctx.font = '12px "Inter Variable", system-ui, sans-serif';
  runs.forEach((run, i) => {
    const middle = MARGIN + TITLE + SIZE.height + LEGEND * (i + 0.5) + 4;
    ctx.fillStyle = chartColours.of(run.colour);
    ctx.beginPath();
    ctx.arc(MARGIN + 4, middle, 4, 0, 2 * Math.PI);
    ctx.fill();
    ctx.fillStyle = chartColours.text;
    ctx.fillText(run.name, MARGIN + 16, middle);
  });
  return picture;
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken hold of the blob by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
