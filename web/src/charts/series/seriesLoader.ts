/**
 * Series asked for within one moment travel in one request per run: a page of a hundred charts asks a few times, not
 * a hundred.
 */
import { getJson, runPath } from "../../api/client";
import type { SeriesColumns } from "../../api/types";

/** Names per request, and characters of them: proxies cut URLs at 8 KB, and an answer is read at one go. */
const MAX_NAMES = 6;
const MAX_CHARS = 4000;

/** Series handed out in one frame. */
const PER_FRAME = 2;

// A timer, not an animation frame: those stop in a tab that is not looked at.
const nextFrame = (): Promise<void> => new Promise((done) => setTimeout(done, 16));

/** A series that is compared by identity: what TanStack Query finds to be plain data it compares and copies value by value,
 * which for ten thousand points costs more than drawing them. */
class LoadedSeries {
  constructor(series: SeriesColumns) {
    Object.assign(this, series);
  }
}

interface Waiting {
  readonly name: string;
  readonly resolve: (series: SeriesColumns | null) => void;
  readonly reject: (error: unknown) => void;
}

const queues = new Map<string, Waiting[]>();

/** The series, or null when the run has none of that name. `times`: with the clock of each point. */
export function loadSeries(run: string, name: string, times: boolean): Promise<SeriesColumns | null> {
  return new Promise((resolve, reject) => {
    const key = `${times} ${run}`;
    const queue = queues.get(key);
    if (queue) {
      queue.push({ name, resolve, reject });
      return;
    }
    queues.set(key, [{ name, resolve, reject }]);
    // A timer, not a microtask: charts that mount in one frame do so over several of React's tasks.
    setTimeout(() => {
      const waiting = queues.get(key) ?? [];
      queues.delete(key);
      for (const batch of batches(waiting)) void send(run, times, batch);
    }, 5);
  });
}

async function send(run: string, times: boolean, batch: readonly Waiting[]): Promise<void> {
  try {
    const names = [...new Set(batch.map((item) => item.name))];
    const answer = await getJson<SeriesColumns[]>(runPath(run, "series_columns"), { name: names, times });
    const byName = new Map(answer.map((series) => [series.name, new LoadedSeries(series) as SeriesColumns]));
    for (const [place, item] of batch.entries()) {
      // Each is a chart to be drawn: all at once would stop the scrolling that asked for them.
      if (place > 0 && place % PER_FRAME === 0) await nextFrame();
      item.resolve(byName.get(item.name) ?? null);
    }
  } catch (error) {
    for (const item of batch) item.reject(error);
  }
}

export function batches<T extends { readonly name: string }>(items: readonly T[]): T[][] {
  const result: T[][] = [];
  let chars = 0;
  for (const item of items) {
    const current = result.at(-1);
    const size = encodeURIComponent(item.name).length + "&name=".length;
    if (current && current.length < MAX_NAMES && chars + size <= MAX_CHARS) {
      current.push(item);
      chars += size;
    } else {
      result.push([item]);
      chars = size;
    }
  }
  return result;
}
