/** A field's distribution over steps as a heat map: which cells to paint, and how strongly. */

export interface HeatData {
  readonly steps: readonly number[];
  /** One more than there are bins, ascending. */
  readonly edges: readonly number[];
  /** counts[i][b]: samples of step i in bin b. */
  readonly counts: readonly (readonly number[])[];
  /** False where counts are about right only: in runs of more than a million samples. */
  readonly exact?: boolean;
}

interface HeatColumn {
  /** On the x axis, from–to. */
  readonly from: number;
  readonly to: number;
  /** Share of the column's samples in each bin, 0…1. */
  readonly shares: readonly number[];
}

/** What a chart shows of the data: without the first step where that is ignored, up to the max step. */
export function clipHeat(data: HeatData, ignoreFirst: boolean, maxStep: number | null): HeatData {
  const keep = data.steps.map((step, i) => !(ignoreFirst && i === 0) && (maxStep === null || step <= maxStep));
  return {
    ...data,
    steps: data.steps.filter((_, i) => keep[i]),
    counts: data.counts.filter((_, i) => keep[i]),
  };
}

/** One column per step, as wide as the way to its neighbours. More steps than `limit` (the pixels there are) share
 * columns: their samples are pooled, so nothing is dropped. */
export function heatColumns(data: HeatData, limit: number): HeatColumn[] {
  const { steps, counts } = data;
  const bins = Math.max(0, data.edges.length - 1);
  const pooled = Math.max(1, Math.ceil(steps.length / Math.max(1, limit)));
  const usual = steps.length > 1 ? medianGap(steps) : 1;
  const columns: HeatColumn[] = [];
  for (let first = 0; first < steps.length; first += pooled) {
    const last = Math.min(first + pooled, steps.length) - 1;
    const totals = new Array<number>(bins).fill(0);
    let all = 0;
    for (let i = first; i <= last; i++) {
      const row = counts[i] ?? [];
      for (let b = 0; b < bins; b++) {
        const count = row[b] ?? 0;
        totals[b] = (totals[b] as number) + count;
        all += count;
      }
    }
    const from = edgeBetween(steps[first - 1], steps[first] as number, usual, -1);
    const to = edgeBetween(steps[last + 1], steps[last] as number, usual, 1);
    columns.push({ from, to, shares: all > 0 ? totals.map((count) => count / all) : totals });
  }
  return columns;
}

/** Half way to the neighbour, but not across a stretch of missing steps: that stays empty. */
function edgeBetween(neighbour: number | undefined, step: number, usual: number, side: 1 | -1): number {
  const gap = neighbour === undefined ? usual : Math.abs(neighbour - step);
  return step + (side * Math.min(gap, usual)) / 2;
}

function medianGap(steps: readonly number[]): number {
  const gaps = steps
    .slice(1)
    .map((step, i) => step - (steps[i] as number))
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 1] as number;
}

/** How much ink a share gets. The root lets the rare tails be seen beside a bin that holds nearly all. */
export function ink(share: number): number {
  return share <= 0 ? 0 : 0.06 + 0.84 * Math.sqrt(Math.min(1, share));
}

/** The bin a value lies in; the last bin has its upper edge, as histograms do. */
export function binAt(edges: readonly number[], value: number): number | null {
  const last = edges.length - 2;
  for (let b = 0; b <= last; b++) {
    if (value >= (edges[b] as number) && (value < (edges[b + 1] as number) || (b === last && value === edges[b + 1])))
      return b;
  }
  return null;
}
