import { useCallback, useEffect, useState } from "react";
import { apiUrl, request, runPath } from "../api/client";
import type { Hit, SearchEnd } from "../api/types";
import { jsonLines } from "../lib/jsonLines";

export interface SearchFor {
  readonly run: string;
  readonly text: string;
  readonly regex: boolean;
  readonly matchCase: boolean;
  readonly where: string;
  /** Which texts of a sample; empty: all. */
  readonly fields: readonly string[];
  readonly limit: number;
}

export interface Search {
  readonly hits: readonly Hit[];
  readonly end: SearchEnd | null;
  readonly error: unknown;
  readonly running: boolean;
  /** Where the list was scrolled to. */
  readonly memory: { offset: number };
}

/** How often a stream of hits is drawn. */
const DRAW_MS = 80;
const KEPT = 4;

/** Finished searches: coming back from a sample shows the list as it was. */
const finished = new Map<string, Search>();

const nothing = (): Search => ({ hits: [], end: null, error: null, running: false, memory: { offset: 0 } });

export function useSearch(query: SearchFor | null): Search & { readonly stop: () => void } {
  const key = query ? JSON.stringify(query) : "";
  const [state, setState] = useState<{ key: string; search: Search }>(() => ({
    key,
    search: finished.get(key) ?? { ...nothing(), running: key !== "" },
  }));
  const [stopping, setStopping] = useState<AbortController | null>(null);

  useEffect(() => {
    if (key === "") return;
    const known = finished.get(key);
    if (known) {
      setState({ key, search: known });
      return;
    }
    const controller = new AbortController();
    setStopping(controller);
    void follow(JSON.parse(key) as SearchFor, controller.signal, (search) => {
      setState({ key, search });
      if (!search.running && search.error === null && search.end !== null) keep(key, search);
    });
    return () => controller.abort();
  }, [key]);

  const stop = useCallback(() => stopping?.abort(), [stopping]);
  const current = state.key === key ? state.search : { ...nothing(), running: key !== "" };
  return { ...current, stop };
}

function keep(key: string, search: Search): void {
  finished.set(key, search);
  for (const oldest of [...finished.keys()].slice(0, Math.max(0, finished.size - KEPT))) finished.delete(oldest);
}

async function follow(query: SearchFor, signal: AbortSignal, show: (search: Search) => void): Promise<void> {
  const memory = { offset: 0 };
  const hits: Hit[] = [];
  let end: SearchEnd | null = null;
  let drawn = performance.now();
  const draw = (running: boolean, error: unknown = null) => show({ hits: [...hits], end, error, running, memory });
  draw(true);
  try {
    const url = apiUrl(runPath(query.run, "search"), {
      q: query.text,
      regex: query.regex,
      ignore_case: !query.matchCase,
      where: query.where || null,
      fields: query.fields,
      limit: query.limit,
      counts: true,
    });
    const response = await request(url, { signal });
    if (!response.body) throw new Error("The server sent no answer.");
    for await (const line of jsonLines(response.body)) {
      if (isEnd(line)) end = line;
      else hits.push(line as Hit);
      if (performance.now() - drawn < DRAW_MS) continue;
      draw(true);
      drawn = performance.now();
    }
    draw(false);
  } catch (error) {
    // Stopped by the reader: what was found stays.
    if (signal.aborted) draw(false);
    else draw(false, error);
  }
}

function isEnd(line: unknown): line is SearchEnd {
  return typeof line === "object" && line !== null && "done" in line;
}
