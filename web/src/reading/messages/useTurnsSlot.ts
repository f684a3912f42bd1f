/** Where the turns of the open sample are listed: a place in another pane, which the sample fills while there is one. */

import { useSyncExternalStore } from "react";

let slot: HTMLElement | null = null;
const listeners = new Set<() => void>();

/** For the `ref` of the element that is the place. */
export function setTurnsSlot(element: HTMLElement | null): void {
  slot = element;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTurnsSlot(): HTMLElement | null {
  return useSyncExternalStore(subscribe, () => slot);
}
