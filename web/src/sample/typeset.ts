/** KaTeX, a little at a time. Formulas are set while the frame has time left; the rest follows when the browser is
 * idle, so that a sample with hundreds of them shows its text at once. */

import katex from "katex";
import "katex/dist/katex.min.css";

/** Milliseconds of one frame that formulas may take before text is painted. */
const BUDGET_MS = 8;

interface Job {
  element: HTMLElement;
  tex: string;
  display: boolean;
}

const queue = new Set<Job>();
let spent = 0;
let frame = 0;
let idle = 0;

/** Set a formula into an element, now or soon. Returns a function that gives it up. */
export function typeset(element: HTMLElement, tex: string, display: boolean): () => void {
  if (!frame) {
    frame = requestAnimationFrame(() => {
      frame = 0;
      spent = 0;
    });
  }
  const job: Job = { element, tex, display };
  if (spent < BUDGET_MS) {
    const start = performance.now();
    render(job);
    spent += performance.now() - start;
    return () => undefined;
  }
  queue.add(job);
  schedule();
  return () => queue.delete(job);
}

function schedule(): void {
  if (idle) return;
  const later = window.requestIdleCallback ?? ((run: () => void) => window.setTimeout(run, 16));
  idle = later(() => {
    idle = 0;
    const end = performance.now() + BUDGET_MS;
    for (const job of queue) {
      queue.delete(job);
      render(job);
      if (performance.now() > end) break;
    }
    if (queue.size) schedule();
  });
}

function render({ element, tex, display }: Job): void {
  try {
    katex.render(tex, element, {
      displayMode: display,
      // A formula that does not parse is shown in red as it was written.
      throwOnError: false,
      // No \href, \url, \includegraphics, \html…: nothing in a sample loads or links anything.
      trust: false,
      strict: "ignore",
      // What one formula may ask of the page: no box larger than this (em), no endless macros.
      maxSize: 20,
      maxExpand: 300,
    });
  } catch {
    element.textContent = tex;
  }
}
