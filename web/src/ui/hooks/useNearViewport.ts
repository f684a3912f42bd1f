import { type RefObject, useEffect, useState } from "react";

/** Charts within this many pixels of the window are drawn, those beyond are not: memory and redraws follow the screen. */
const MARGIN = "400px";

const callbacks = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | null = null;

/** Whether an element is in or near the window. One observer serves all charts. */
export function useNear(ref: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    observer ??= new IntersectionObserver(
      (entries) => {
        for (const entry of entries) callbacks.get(entry.target)?.(entry.isIntersecting);
      },
      // rootMargin reaches past the window, scrollMargin past the pane that scrolls (not yet in TypeScript's DOM types).
      { rootMargin: MARGIN, scrollMargin: MARGIN } as IntersectionObserverInit,
    );
    callbacks.set(element, setNear);
    observer.observe(element);
    return () => {
      observer?.unobserve(element);
      callbacks.delete(element);
    };
  }, [ref]);
  return near;
}
