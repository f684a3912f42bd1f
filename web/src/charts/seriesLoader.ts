/**
 * Series asked for within one moment travel in one request per run: a page of a hundred charts asks three times, not
 * three hundred.
 */
import { getJson, runPath } from "../api/client";
import type { Series } from "../api/types";

/** Names per request, and characters of them: proxies cut URLs at 8 KB. */
const MAX_NAMES = 40;
const MAX_CHARS = 4000;

interface Waiting {
  readonly name: string;
  readonly resolve: (series: Series | null) => void;
  readonly reject: (error: unknown) => void;
}

const queues = new Map<string, Waiting[]>();

/** The series, or null when the run has none of that name. */
export function loadSeries(run: string, name: string): Promise<Series | null> {
  return new Promise((resolve, reject) => {
    const queue = queues.get(run);
    if (queue) {
      queue.push({ name, resolve, reject });
      return;
    }
    queues.set(run, [{ name, resolve, reject }]);
    // A timer, not a microtask: charts that mount in one frame do so over several of React's tasks.
    setTimeout(() => {
      const waiting = queues.get(run) ?? [];
      queues.delete(run);
      for (const batch of batches(waiting)) void send(run, batch);
    }, 5);
  });
}

async function send(run: string, batch: readonly Waiting[]): Promise<void> {
  try {
    const names = [...new Set(batch.map((item) => item.name))];
    const answer = await getJson<Series[]>(runPath(run, "series"), { name: names });
    const byName = new Map(answer.map((series) => [series.name, series]));
    for (const item of batch) item.resolve(byName.get(item.name) ?? null);
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
