import { type RefObject, useLayoutEffect, useState } from "react";

/** Whether an element is at least so many pixels wide, as it is laid out now. */
export function useWiderThan(element: RefObject<HTMLElement | null>, pixels: number, until: unknown): boolean {
  const [isWide, setWide] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `until` says when the element is there.
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= pixels));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, pixels, until]);
  return isWide;
}
