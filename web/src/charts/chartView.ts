/**
 * What all charts of a page share: x axis, smoothing, max step. It is in the URL, so that a link shows the same lines,
 * and remembered by the browser, so that the next page starts with it.
 */
import { useCallback, useEffect, useMemo } from "react";
import { DEFAULT_SPAN, parseSpan } from "../lib/ema";
import { setting, useSetting } from "../state/settings";
import { currentView, go, useViewPart } from "../state/view";
import { type ViewOptions, X_AXES, type XAxis } from "./series/series";

const OFF = "off";
const STANDARD: ViewOptions = { axis: "step", span: DEFAULT_SPAN, maxStep: null };
const remembered = setting<ViewOptions | null>("chart-view", null);

/** The URL's words for it: `x=wall`, `ema=25` or `ema=off`, `max=500`; the usual ones are left out. */
export function chartParams(view: ViewOptions): Record<string, string> {
  return {
    ...(view.axis === STANDARD.axis ? {} : { x: view.axis }),
    ...(view.span === STANDARD.span ? {} : { ema: view.span === null ? OFF : String(view.span) }),
    ...(view.maxStep === null ? {} : { max: String(view.maxStep) }),
  };
}

export function parseChartParams(params: Readonly<Record<string, string>>, fallback: ViewOptions): ViewOptions {
  const { x, ema, max } = params;
  return {
    axis: X_AXES.find((axis) => axis === x) ?? fallback.axis,
    span: ema === OFF ? null : (parseSpan(ema) ?? fallback.span),
    maxStep: max !== undefined && /^\d{1,12}$/.test(max) ? Number(max) : fallback.maxStep,
  };
}

/** Remembered choices come from storage, where anything may lie. */
function sound(stored: ViewOptions | null): ViewOptions {
  if (stored === null || typeof stored !== "object") return STANDARD;
  const words = { x: String(stored.axis), ema: stored.span === null ? OFF : String(stored.span) };
  return parseChartParams(words, STANDARD);
}

export function useChartView(): [ViewOptions, (change: Partial<ViewOptions>) => void] {
  const other = useViewPart("other");
  const [stored, store] = useSetting(remembered);
  const fallback = useMemo(() => sound(stored), [stored]);
  const view = useMemo(() => parseChartParams(other, fallback), [other, fallback]);

  const publish = useCallback((next: ViewOptions) => {
    const { x: _x, ema: _ema, max: _max, ...rest } = currentView().other;
    go({ other: { ...rest, ...chartParams(next) } }, { replace: true });
  }, []);

  // A page opened without them takes the remembered choices into its URL: what is seen is what a pasted link shows.
  useEffect(() => publish(view), [publish, view]);

  const change = useCallback(
    (patch: Partial<ViewOptions>) => {
      const next = { ...view, ...patch };
      // The max step belongs to the run being looked at, not to the next one.
      store({ ...next, maxStep: null });
      publish(next);
    },
    [view, store, publish],
  );
  return [view, change];
}

export const AXIS_NAMES: Record<XAxis, string> = { step: "Step", wall: "Wall time", relative: "Relative time" };
