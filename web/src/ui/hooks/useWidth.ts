import { type RefCallback, type RefObject, useCallback, useRef, useState } from "react";

/** The width of an element in pixels, as it is laid out now, so that what is drawn in it is not stretched: what to give
 * the element as its `ref`, the width, and the element. It may appear, go and come back. */
export function useWidth<T extends Element>(until = 0): [RefCallback<T>, number, RefObject<T | null>] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(until);
  const ref = useCallback((found: T | null) => {
    element.current = found;
    if (!found) return;
    // Hidden, it keeps the width it had.
    const observer = new ResizeObserver(([entry]) =>
      setWidth((had) => Math.round(entry?.contentRect.width ?? 0) || had),
    );
    observer.observe(found);
    return () => {
      observer.disconnect();
      element.current = null;
    };
  }, []);
  return [ref, width, element];
}
