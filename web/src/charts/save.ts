/** A chart as a file: its values as CSV, its picture as PNG. */
import type uPlot from "uplot";
import { readColour } from "../app/theme";
import { chartCsv, fileName } from "../lib/csv";
import type { PlotModel } from "./plotModel";

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

const MARGIN = 14;
const TITLE = 22;
const LEGEND = 18;

/** The canvas with its name above and the runs' names below it, on the theme's own ground. */
export function savePng(metric: string, title: string, model: PlotModel, plot: uPlot): void {
  const source = plot.ctx.canvas;
  const ratio = source.width / plot.width;
  const runs = model.heat ? [model.heat.run] : model.lines.map(({ run }) => run);
  const picture = document.createElement("canvas");
  picture.width = source.width + 2 * MARGIN * ratio;
  picture.height = source.height + (2 * MARGIN + TITLE + LEGEND * runs.length) * ratio;
  const ctx = picture.getContext("2d");
  if (!ctx) return;
  ctx.fillStyle = readColour("--panel");
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.drawImage(source, MARGIN * ratio, (MARGIN + TITLE) * ratio);
  ctx.scale(ratio, ratio);
  ctx.textBaseline = "middle";
  ctx.fillStyle = readColour("--text");
  ctx.font = '600 13px "Inter Variable", system-ui, sans-serif';
  ctx.fillText(title, MARGIN, MARGIN + TITLE / 2 - 3);
  ctx.font = '12px "Inter Variable", system-ui, sans-serif';
  runs.forEach((run, i) => {
    const middle = MARGIN + TITLE + source.height / ratio + LEGEND * (i + 0.5) + 4;
    ctx.fillStyle = readColour(run.colour);
    ctx.beginPath();
    ctx.arc(MARGIN + 4, middle, 4, 0, 2 * Math.PI);
    ctx.fill();
    ctx.fillStyle = readColour("--muted");
    ctx.fillText(run.name, MARGIN + 16, middle);
  });
  picture.toBlob((blob) => {
    if (blob) download(blob, fileName(metric, "png"));
  }, "image/png");
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken hold of the blob by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
