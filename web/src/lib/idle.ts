/** The longest that work waits for an idle moment. */
const PATIENCE_MS = 150;

/** Do something once the page has nothing more urgent to do. Returns a function that gives it up. */
export function whenIdle(work: () => void): () => void {
  if (!window.requestIdleCallback) {
    const timer = window.setTimeout(work, PATIENCE_MS / 3);
    return () => window.clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(work, { timeout: PATIENCE_MS });
  return () => window.cancelIdleCallback(handle);
}
