import { useEffect, useRef, useState } from "react";

/** The value, changing at most once in that many milliseconds: the first change at once, then the newest. */
export function useThrottled<T>(value: T, milliseconds: number): T {
  const [shown, setShown] = useState(value);
  const changedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const wait = Math.max(0, changedAt.current + milliseconds - performance.now());
    const timer = window.setTimeout(() => {
      changedAt.current = performance.now();
      setShown(() => value);
    }, wait);
    return () => window.clearTimeout(timer);
  }, [value, milliseconds]);
  return shown;
}
