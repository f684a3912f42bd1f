import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { ViewOptions, XAxis } from "./series/series";
import { type Catalogs, useCatalogs } from "./series/useCatalogs";

/** A run as charts draw it. */
export interface ChartRun {
  readonly id: string;
  readonly name: string;
  /** Its colour token. */
  readonly colour: string;
  /** Which dashes its line is drawn with, where colours say something else: its metric's place in the chart. */
  readonly dash?: number;
}

interface Zoom {
  readonly axis: XAxis;
  readonly min: number;
  readonly max: number;
}

/** What the charts of one page have in common. */
export interface Charts {
  /** The open run first, then those compared with it. */
  readonly runs: readonly ChartRun[];
  /** What each of them has: asked for once for all charts. */
  readonly catalogs: Catalogs;
  readonly view: ViewOptions;
  /** The step being read: a line on every chart. */
  readonly step: number | null;
  readonly openStep: (step: number) => void;
  /** Where samples stand beside the charts: a stretch of steps that was dragged out on one of them is listed. */
  readonly listSteps?: (first: number, last: number) => void;
  /** A stretch of the x axis that was dragged out on one chart shows on all. */
  readonly zoom: Zoom | null;
  readonly setZoom: (zoom: Zoom | null) => void;
}

const Context = createContext<Charts | null>(null);

interface Props extends Omit<Charts, "catalogs" | "zoom" | "setZoom"> {
  readonly children: ReactNode;
}

export function ChartsProvider({ runs, view, step, openStep, listSteps, children }: Props) {
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const catalogs = useCatalogs(runs);
  const charts = useMemo(
    // A zoom in steps means nothing on a clock.
    () => ({
      runs,
      catalogs,
      view,
      step,
      openStep,
      ...(listSteps ? { listSteps } : {}),
      zoom: zoom?.axis === view.axis ? zoom : null,
      setZoom,
    }),
    [runs, catalogs, view, step, openStep, listSteps, zoom],
  );
  return <Context value={charts}>{children}</Context>;
}

export function useCharts(): Charts {
  const charts = useContext(Context);
  if (!charts) throw new Error("a chart outside of ChartsProvider");
  return charts;
}
