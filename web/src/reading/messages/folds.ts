/** Which sections are folded. Kept while one moves from sample to sample: whoever opens System wants it open in the next. */

import { useCallback, useMemo, useState } from "react";

interface FoldState {
  /** What "all" was last set to; null: each by itself. */
  all: boolean | null;
  /** What was chosen for single sections since. */
  byKey: ReadonlyMap<string, boolean>;
}

interface Standing {
  /** Open unless someone says otherwise. */
  standard: boolean;
  /** Open whatever was chosen: something in it is being looked for. */
  force?: boolean;
  /** No part of reading (the record on disk): it opens only by itself. */
  apart?: boolean;
}

export function isSectionOpen({ all, byKey }: FoldState, key: string, { standard, force, apart }: Standing): boolean {
  const chosen = byKey.get(key);
  if (apart) return chosen ?? standard;
  return force || (chosen ?? all ?? standard);
}

export interface Folds {
  isOpen: (key: string, standard: boolean, apart?: boolean) => boolean;
  toggle: (key: string, open: boolean) => void;
  /** Fold or unfold everything. */
  setAll: (open: boolean) => void;
  all: boolean | null;
}

export function useFolds(force: boolean): Folds {
  const [state, setState] = useState<FoldState>({ all: null, byKey: new Map() });
  const toggle = useCallback(
    (key: string, open: boolean) => setState(({ all, byKey }) => ({ all, byKey: new Map(byKey).set(key, open) })),
    [],
  );
  const setAll = useCallback((open: boolean) => setState({ all: open, byKey: new Map() }), []);
  return useMemo(
    () => ({
      isOpen: (key, standard, apart = false) => isSectionOpen(state, key, { standard, force, apart }),
      toggle,
      setAll,
      all: state.all,
    }),
    [state, force, toggle, setAll],
  );
}
