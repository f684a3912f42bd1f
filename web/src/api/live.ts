/** Server-sent events: when a run grows, what was asked about it is asked again. The page itself never polls. */

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { HelloEvent, Progress, RunEvent } from "./types";

type Connection = "connecting" | "open" | "lost";

/** A training step writes thousands of lines; the page looks again at most this often per run. */
const PAUSE_MS = 700;

const versions = new Map<string, number>();
const waiting = new Map<string, number>();
const listeners = new Set<() => void>();
const progress = new Map<string, Progress>();
let connection: Connection = "connecting";
let instance = "";

function publish(): void {
  for (const listener of listeners) listener();
}

function askAgain(client: QueryClient, run: string): void {
  if (waiting.has(run)) return;
  const timer = window.setTimeout(() => {
    waiting.delete(run);
    void client.invalidateQueries({ queryKey: ["run", run] });
    void client.invalidateQueries({ queryKey: ["runs"] });
  }, PAUSE_MS);
  waiting.set(run, timer);
}

function hello(client: QueryClient, event: HelloEvent): void {
  const restarted = instance !== "" && instance !== event.instance;
  instance = event.instance;
  for (const [run, version] of Object.entries(event.versions)) {
    // Versions of another instance mean nothing here: what is shown may be old.
    if (restarted || (versions.has(run) && versions.get(run) !== version)) askAgain(client, run);
    versions.set(run, version);
  }
}

/** A tab that has been out of sight this long hangs up: browsers allow six connections to a server, over all tabs. */
const HIDDEN_MS = 10_000;

/** Keeps one connection for the whole page while it can be seen. */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => {
    let close: (() => void) | null = listen(client);
    let leaving = 0;
    const look = (): void => {
      window.clearTimeout(leaving);
      if (!document.hidden) {
        close ??= listen(client);
        return;
      }
      leaving = window.setTimeout(() => {
        close?.();
        close = null;
      }, HIDDEN_MS);
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.clearTimeout(leaving);
      close?.();
      for (const timer of waiting.values()) window.clearTimeout(timer);
      waiting.clear();
    };
  }, [client]);
}

/** Opens the stream; the server's first word says what changed while nobody listened. Returns what closes it. */
function listen(client: QueryClient): () => void {
  const source = new EventSource("api/events");
  const on = <T>(name: string, handle: (event: T) => void): void =>
    source.addEventListener(name, (message) => handle(JSON.parse((message as MessageEvent<string>).data) as T));
  const become = (next: Connection): void => {
    connection = next;
    publish();
  };
  source.addEventListener("open", () => become("open"));
  source.addEventListener("error", () => become("lost"));
  on<HelloEvent>("hello", (event) => hello(client, event));
  on<RunEvent>("run", (event) => {
    progress.set(event.run, event.progress);
    if (versions.get(event.run) !== event.version) askAgain(client, event.run);
    versions.set(event.run, event.version);
    publish();
  });
  on<unknown>("runs", () => void client.invalidateQueries({ queryKey: ["runs"] }));
  return () => source.close();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection);
}

/** How far indexing is, as last heard; null before anything was. */
export function useProgress(run: string | null): Progress | null {
  return useSyncExternalStore(subscribe, () => (run === null ? null : (progress.get(run) ?? null)));
}
