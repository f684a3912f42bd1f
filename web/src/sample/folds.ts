/** Which sections are folded. Kept while one moves from sample to sample: whoever opens System wants it open in the next. */

import { useCallback, useMemo, useState } from "react";

export interface Folds {
  /** `apart`: a section that is no part of reading (the record on disk); it opens only by itself. */
  isOpen: (key: string, standard: boolean, apart?: boolean) => boolean;
  toggle: (key: string, open: boolean) => void;
  /** Fold or unfold everything. */
  setAll: (open: boolean) => void;
  /** What "all" was last set to; null: each by itself. */
  all: boolean | null;
}

export function useFolds(forceOpen: boolean): Folds {
  const [state, setState] = useState<{ all: boolean | null; byKey: ReadonlyMap<string, boolean> }>({
    all: null,
    byKey: new Map(),
  });
  const toggle = useCallback(
    (key: string, open: boolean) => setState(({ all, byKey }) => ({ all, byKey: new Map(byKey).set(key, open) })),
    [],
  );
  const setAll = useCallback((open: boolean) => setState({ all: open, byKey: new Map() }), []);
  return useMemo(
    () => ({
      isOpen: (key, standard, apart = false) => {
        const chosen = state.byKey.get(key);
        if (apart) return chosen ?? standard;
        return forceOpen || (chosen ?? state.all ?? standard);
      },
      toggle,
      setAll,
      all: state.all,
    }),
    [state, forceOpen, toggle, setAll],
  );
}
