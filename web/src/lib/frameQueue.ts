/** Work that many charts want at once, done a little in each frame: a page of charts that come into view together must
 * not stop the scrolling that brought them there. */

/** Milliseconds of a frame; at least one piece of work is done. */
const FRAME_MS = 4;

const waiting = new Set<() => void>();
let isScheduled = false;

/** Do this in a frame soon, after what was asked for before. Returns a function that gives it up. */
export function inTurn(work: () => void): () => void {
  waiting.add(work);
  schedule();
  return () => waiting.delete(work);
}

function workOff(): void {
  isScheduled = false;
  const end = performance.now() + FRAME_MS;
  for (const work of waiting) {
    waiting.delete(work);
    try {
      work();
    } catch (error) {
      // One chart that cannot be drawn must not keep the others from being drawn; the error is told all the same.
      reportError(error);
    }
    if (performance.now() > end) break;
  }
  if (waiting.size > 0) schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(workOff);
}
