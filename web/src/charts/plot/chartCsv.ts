/** What a chart shows, as a table: one row per point, a column per run, and one more per run that is smoothed. */
import type { Line, XAxis } from "../series/series";

interface CsvLine {
  readonly run: string;
  readonly line: Line;
}

export function chartCsv(lines: readonly CsvLine[], axis: XAxis, span: number | null): string {
  const xs = [...new Set(lines.flatMap(({ line }) => line.x))].sort((a, b) => a - b);
  const head = [{ step: "step", wall: "wall_time_s", relative: "relative_time_s" }[axis]];
  if (axis !== "step") for (const { run } of lines) head.push(`${run} (step)`);
  for (const { run, line } of lines) head.push(run, ...(line.smooth ? [`${run} (EMA ${span})`] : []));

  const places = lines.map(({ line }) => new Map(line.x.map((x, i) => [x, i])));
  const rows = xs.map((x) => {
    const cells: (number | string | null)[] = [x];
    if (axis !== "step") cells.push(...lines.map(({ line }, n) => at(line.steps, places[n]?.get(x))));
    lines.forEach(({ line }, n) => {
      const place = places[n]?.get(x);
      cells.push(place === undefined ? null : (line.raw[place] ?? line.named.get(place) ?? null));
      if (line.smooth) cells.push(at(line.smooth, place));
    });
    return cells.map(cell).join(",");
  });
  return `${[head.map(cell).join(","), ...rows].join("\r\n")}\r\n`;
}

function at<T>(values: readonly T[], place: number | undefined): T | null {
  return place === undefined ? null : (values[place] ?? null);
}

/** Quoted where commas, quotes or line ends ask for it. Run names are others' text: a spreadsheet must not run one. */
function cell(value: number | string | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const inert = /^[=+@\t\r-]/.test(value) && !/^-?Infinity$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A file name for a chart: its metric, readable, with nothing a file system minds. */
export function fileName(metric: string, extension: string): string {
  const stem = metric.replace(/[^\p{L}\p{N}@._-]+/gu, "_").replace(/^[._]+|[._]+$/g, "");
  return `${stem.slice(0, 120) || "chart"}.${extension}`;
}
