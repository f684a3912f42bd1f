/** The current view, and ways to change it. Components read `useView()`, or `useViewPart()` where little of it concerns them, and call `go()`; links use `hrefFor()`. */

import { useCallback, useSyncExternalStore } from "react";
import { changeView, formatView, parseView, shareView, type View } from "./url";

const listeners = new Set<() => void>();
let search = window.location.search;
let current = parseView(search);

function publish(): void {
  if (window.location.search === search) return;
  search = window.location.search;
  current = shareView(current, parseView(search));
  for (const listener of listeners) listener();
}

window.addEventListener("popstate", publish);

export function currentView(): View {
  return current;
}

export function useView(): View {
  return useSyncExternalStore(subscribe, currentView);
}

/** One part of the view: the component is drawn again when this changes, not when anything does. */
export function useViewPart<K extends keyof View>(name: K): View[K] {
  return useSyncExternalStore(subscribe, () => current[name]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Change the view. `replace` for what the back button should not stop at: a default that was filled in, a typed letter. */
export function go(patch: Partial<View>, options: { replace?: boolean } = {}): void {
  show(changeView(current, patch), options);
}

export function show(view: View, options: { replace?: boolean } = {}): void {
  const target = formatView(view) || window.location.pathname;
  if ((formatView(view) || "") === window.location.search) return;
  window.history[options.replace ? "replaceState" : "pushState"](null, "", target);
  publish();
}

/** A link to the current view with changes, for `href`. Relative, so it works below any prefix. */
export function hrefFor(patch: Partial<View>, from: View = current): string {
  return formatView(changeView(from, patch)) || "?";
}

/** The whole URL of the current view, for the clipboard. */
export function linkToHere(): string {
  return new URL(formatView(current) || "?", window.location.href).href;
}

/** A parameter that only one page understands. Setting it replaces the history entry. */
export function usePageParam(name: string, standard = ""): [string, (value: string) => void] {
  const value = useView().other[name] ?? standard;
  const set = useCallback(
    (next: string) => {
      const other: Record<string, string> = { ...current.other, [name]: next };
      if (next === standard) delete other[name];
      go({ other }, { replace: true });
    },
    [name, standard],
  );
  return [value, set];
}
