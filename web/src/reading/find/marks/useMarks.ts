/** What findings see in the open sample: its characters painted, and brought into view when asked for. */

import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { sampleFindingsQuery } from "../../../api/insights";
import type { Sample, SampleFinding, SampleFindings } from "../../../api/types";
import { useViewPart } from "../../../state/view";
import type { Folds } from "../../messages/folds";
import { scrollToMatch } from "../findText";
import { rangesIn } from "./markRanges";
import { type Mark, markNamed, marksOf } from "./sampleMarks";

/** Whoever pages on at once does not wait for this. */
const SETTLED_MS = 120;

export interface Marks {
  readonly findings: readonly SampleFinding[];
  /** What no finding means: that none is there, that texts are still to be read, that nobody reads them until findings are
   * asked for; null: not answered yet. */
  readonly none: "found" | "unread" | "off" | null;
  readonly marks: readonly Mark[];
  /** Which one is looked at; null: none yet. */
  readonly at: number | null;
  readonly show: (at: number) => void;
  readonly move: (by: 1 | -1) => void;
}

export function useMarks(
  run: string,
  sample: Sample | undefined,
  body: RefObject<Element | null>,
  folds: Folds,
): Marks {
  const { mark, at: start } = useViewPart("other");
  const raw = useViewPart("raw");
  const address = useSettled(sample?.address ?? null);
  const { data } = useQuery({ ...sampleFindingsQuery(run, address ?? ""), enabled: address !== null });
  const isHere = data !== undefined && data.address === sample?.address;
  const findings = isHere ? data.findings : NONE;
  const marks = useMemo(() => marksOf(findings), [findings]);
  const [chosen, setChosen] = useState<{ of: readonly Mark[]; at: number } | null>(null);
  const where = useViewPart("where");
  const named = useMemo(() => markNamed(marks, { kind: mark, start, where }), [marks, mark, start, where]);
  const at = chosen?.of === marks ? chosen.at : named;

  const open = useRef(folds.toggle);
  open.current = folds.toggle;
  // What is looked at is unfolded: its message, and the thought it stands in.
  useEffect(() => {
    const places = at === null ? [] : (marks[at]?.span.parts ?? []);
    for (const { message, part } of places) {
      open.current(`${sample?.messages[message]?.role}-${message}`, true);
      open.current(`think-${message}-${part}`, true);
    }
  }, [at, marks, sample]);

  usePaintedMarks(body, sample, marks, raw ? null : at);
  const show = (next: number): void => setChosen({ of: marks, at: next });
  return {
    findings,
    none: isHere ? noneOf(data) : null,
    marks,
    at,
    show,
    move: (by) => {
      if (marks.length > 0)
        show(at === null ? (by === 1 ? 0 : marks.length - 1) : (at + by + marks.length) % marks.length);
    },
  };
}

const NONE: readonly SampleFinding[] = [];

const noneOf = ({ ready, coming }: SampleFindings): Marks["none"] => (ready ? "found" : coming ? "unread" : "off");

function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), SETTLED_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Formatting arrives in pieces, and folds open: the drawn text is looked through again when it changes. */
function usePaintedMarks(
  body: RefObject<Element | null>,
  sample: Sample | undefined,
  marks: readonly Mark[],
  at: number | null,
): void {
  useEffect(() => {
    const element = body.current;
    if (!element || !sample || marks.length === 0 || !("highlights" in CSS)) return;
    let timer = 0;
    // Until the reader scrolls, what was asked for stays in view while formulas and fonts arrive.
    let isHeld = at !== null;
    const paint = (): void => {
      const ranges = marks.map((mark) => drawnRanges(element, sample, mark));
      for (const severity of ["high", "medium", "low"] as const) {
        const own = ranges.filter((_, nth) => nth !== at && marks[nth]?.finding.severity === severity).flat();
        CSS.highlights.set(`seen-${severity}`, new Highlight(...own));
      }
      const current = at === null ? [] : (ranges[at] ?? []);
      CSS.highlights.set("seen-current", new Highlight(...current));
      if (isHeld && current[0]) scrollToMatch(current[0]);
    };
    const later = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(paint, 60);
    };
    const release = (): void => {
      isHeld = false;
    };
    paint();
    const observer = new MutationObserver(later);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    for (const event of ["wheel", "pointerdown", "touchmove"]) element.addEventListener(event, release, PASSIVE);
    return () => {
      window.clearTimeout(timer);
      observer.disconnect();
      for (const event of ["wheel", "pointerdown", "touchmove"]) element.removeEventListener(event, release);
      for (const name of NAMES) CSS.highlights.delete(name);
    };
  }, [body, sample, marks, at]);
}

const PASSIVE = { passive: true } as const;
const NAMES = ["seen-high", "seen-medium", "seen-low", "seen-current"];

function drawnRanges(root: Element, sample: Sample, { span }: Mark): Range[] {
  return span.parts.flatMap(({ message, part, start, end }) => {
    const element = root.querySelector(`[data-part="${message}-${part}"]`);
    const source = sample.messages[message]?.parts?.[part]?.text;
    if (!element || source === undefined) return [];
    const [range] = rangesIn(element, source, [{ start, end }]);
    return range ? [range] : [];
  });
}
