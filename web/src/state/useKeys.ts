/** Keys for the page. Components say which actions they do now; the innermost that knows an action gets it. */

import { useLayoutEffect, useRef } from "react";
import { type Action, actionFor } from "./keys";

type Handlers = Partial<Record<Action, () => void>>;

const layers: { current: Handlers }[] = [];

/** While mounted, these actions are ours. */
export function useKeys(handlers: Handlers): void {
  const layer = useRef(handlers);
  layer.current = handlers;
  // Before the first painting: what one sees hears its keys.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

/** While mounted, a digit that is typed nowhere else is ours. */
export function useDigits(onDigit: (digit: number) => void): void {
  const latest = useRef(onDigit);
  latest.current = onDigit;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
      if (isPlain && /^[1-9]$/.test(event.key) && !isTaken(event)) latest.current(Number(event.key));
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

/** Where letters are text, or arrows belong to the widget that has the focus. */
const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=slider], [role=separator], [role=listbox], dialog, [popover]";

function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as Element | null;
  if (event.defaultPrevented || !target?.closest) return true;
  if (target.closest(TYPING)) return true;
  if (event.key.startsWith("Arrow")) return target.closest(OWN_KEYS) !== null;
  return target.closest("dialog, [popover]") !== null;
}

function handle(event: KeyboardEvent): void {
  const action = actionFor(event);
  // Ctrl+K works from anywhere; everything else leaves typing alone.
  if (!action || (action !== "search" && isTaken(event))) return;
  for (let index = layers.length - 1; index >= 0; index -= 1) {
    const run = layers[index]?.current[action];
    if (run) {
      // Escape goes on to the browser, which closes the open menu with it.
      if (event.key !== "Escape") event.preventDefault();
      run();
      return;
    }
  }
}

window.addEventListener("keydown", handle);
