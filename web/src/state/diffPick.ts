/** The sample that was taken as A for a diff. It is kept while one goes to another step, page or run for B. */

import { useSyncExternalStore } from "react";

export interface DiffPick {
  readonly run: string;
  readonly address: string;
}

const listeners = new Set<() => void>();
let picked: DiffPick | null = null;

export function setDiffPick(pick: DiffPick | null): void {
  picked = pick;
  for (const listener of listeners) listener();
}

export function useDiffPick(): DiffPick | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => picked,
  );
}

/** What a second sample makes of the first: the two as a view; null where it is the same one. */
export function diffView(a: DiffPick, b: DiffPick) {
  if (a.run === b.run && a.address === b.address) return null;
  const against = a.run === b.run ? {} : { against: b.run };
  return { run: a.run, page: "insights" as const, other: { tab: "diff", a: a.address, b: b.address, ...against } };
}
