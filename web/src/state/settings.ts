/** What the user likes, remembered by the browser: theme, panes, render switches. Never what is being looked at; that is the URL. */

import { useCallback, useSyncExternalStore } from "react";

const PREFIX = "rollscope.";
const listeners = new Set<() => void>();
const cache = new Map<string, unknown>();

/** A setting with its default. The default's shape decides what a stored value must look like. */
export interface Setting<T> {
  readonly name: string;
  readonly standard: T;
}

export function setting<T>(name: string, standard: T): Setting<T> {
  return { name, standard };
}

export function readSetting<T>({ name, standard }: Setting<T>): T {
  if (cache.has(name)) return cache.get(name) as T;
  let value = standard;
  try {
    const stored = window.localStorage.getItem(PREFIX + name);
    if (stored !== null) value = fitted(JSON.parse(stored), standard);
  } catch {
    // Storage that is off or holds something else: the default stands.
  }
  cache.set(name, value);
  return value;
}

/** A stored value of another shape (from an older version) falls back; objects keep defaults for keys they lack. */
export function fitted<T>(stored: unknown, standard: T): T {
  if (standard === null) return stored as T;
  if (Array.isArray(standard)) return (Array.isArray(stored) ? stored : standard) as T;
  if (typeof standard === "object") {
    return typeof stored === "object" && stored !== null && !Array.isArray(stored)
      ? ({ ...standard, ...stored } as T)
      : standard;
  }
  return typeof stored === typeof standard ? (stored as T) : standard;
}

export function writeSetting<T>(which: Setting<T>, value: T): void {
  cache.set(which.name, value);
  try {
    window.localStorage.setItem(PREFIX + which.name, JSON.stringify(value));
  } catch {
    // Private windows and full storage: it holds until the page closes.
  }
  for (const listener of listeners) listener();
}

window.addEventListener("storage", (event) => {
  if (!event.key?.startsWith(PREFIX)) return;
  cache.delete(event.key.slice(PREFIX.length));
  for (const listener of listeners) listener();
});

export function useSetting<T>(which: Setting<T>): [T, (value: T) => void] {
  const value = useSyncExternalStore(subscribe, () => readSetting(which));
  const set = useCallback((next: T) => writeSetting(which, next), [which]);
  return [value, set];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
