/** Heavy parts (markdown, KaTeX, highlighter) load when first needed; until then, and if loading fails, text is plain. */

import { useEffect, useSyncExternalStore } from "react";

interface LazyModule<T> {
  load: () => void;
  get: () => T | null;
  subscribe: (listener: () => void) => () => void;
}

export function lazyModule<T>(importer: () => Promise<T>): LazyModule<T> {
  const listeners = new Set<() => void>();
  let loaded: T | null = null;
  let started = false;
  return {
    load: () => {
      if (started) return;
      started = true;
      importer().then(
        (module) => {
          loaded = module;
          for (const listener of listeners) listener();
        },
        // A later sample tries again.
        () => {
          started = false;
        },
      );
    },
    get: () => loaded,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The module once it is there; null before. `wanted` false asks for nothing. */
export function useModule<T>(module: LazyModule<T>, wanted = true): T | null {
  useEffect(() => {
    if (wanted) module.load();
  }, [module, wanted]);
  return useSyncExternalStore(module.subscribe, module.get);
}
