/** KaTeX, a little at a time: before the first paint the formulas at both ends of the text, where one starts to read;
 * the others when they come near the view. A formula costs more to lay out than a paragraph, and a long answer has
 * hundreds of them. */

import katex from "katex";
import "katex/dist/katex.min.css";

/** Formulas, and milliseconds, before the text is painted for the first time. */
const FIRST_FORMULAS = 6;
const FIRST_MS = 4;
/** Milliseconds of one frame for those that come into view later. */
const LATER_MS = 8;
/** How far outside the view a formula counts as near. */
const MARGIN = "600px";
/** Formulas kept ready for the next time: the samples of a group write the same ones again and again. */
const MOST_TEMPLATES = 500;

interface Job {
  element: HTMLElement;
  tex: string;
  display: boolean;
}

const fresh = new Set<Job>();
const far = new Map<Element, Job>();
const near = new Set<Job>();
const templates = new Map<string, HTMLElement>();
let isStarting = false;
let isScheduled = false;

/** Set a formula into an element, now or when it is nearly in view. Returns a function that gives it up. */
export function typeset(element: HTMLElement, tex: string, display: boolean): () => void {
  const job: Job = { element, tex, display };
  fresh.add(job);
  if (!isStarting) {
    isStarting = true;
    // Once all formulas of the text are known, and before it is painted.
    queueMicrotask(start);
  }
  return () => {
    fresh.delete(job);
    near.delete(job);
    far.delete(element);
    observer.unobserve(element);
  };
}

function start(): void {
  isStarting = false;
  const end = performance.now() + FIRST_MS;
  let set = 0;
  for (const job of fromBothEnds([...fresh])) {
    if (set < FIRST_FORMULAS && performance.now() < end) {
      render(job);
      set += 1;
    } else {
      far.set(job.element, job);
      observer.observe(job.element);
    }
  }
  fresh.clear();
}

/** The last, the first, the last but one, the second … */
function fromBothEnds<T>(items: readonly T[]): T[] {
  return items.map((_, nth) => items[nth % 2 ? (nth - 1) / 2 : items.length - 1 - nth / 2] as T);
}

// `scrollMargin` counts in boxes that scroll too; where a browser does not know it, formulas are set as they appear.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const job = far.get(target);
      if (!isIntersecting || !job) continue;
      observer.unobserve(target);
      far.delete(target);
      near.add(job);
    }
    if (near.size) schedule();
  },
  { rootMargin: MARGIN, scrollMargin: MARGIN } as IntersectionObserverInit,
);

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    const end = performance.now() + LATER_MS;
    for (const job of near) {
      near.delete(job);
      render(job);
      if (performance.now() > end) break;
    }
    if (near.size) schedule();
  });
}

function render({ element, tex, display }: Job): void {
  const key = `${display ? "d" : "i"}${tex}`;
  let template = templates.get(key);
  if (!template) {
    template = formula(tex, display);
    if (templates.size >= MOST_TEMPLATES) templates.delete(templates.keys().next().value as string);
    templates.set(key, template);
  }
  element.replaceChildren(...template.cloneNode(true).childNodes);
}

function formula(tex: string, display: boolean): HTMLElement {
  const element = document.createElement("span");
  try {
    katex.render(tex, element, {
      displayMode: display,
      // Its copy in MathML, for screen readers, takes as long to lay out as the formula: they read its source instead.
      output: "html",
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
  return element;
}
