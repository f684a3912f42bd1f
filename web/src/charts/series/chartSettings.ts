/** A chart that someone placed, and how it shapes its lines. Settings belong to the chart: they are saved with it and
 * move with it. */

import { DEFAULT_K, MAX_K } from "../../lib/outliers";
import type { Plot } from "./catalog";

export interface ChartSettings {
  readonly ignoreOutliers: boolean;
  /** A value further than k interquartile ranges outside the quartiles is an outlier. */
  readonly k: number;
  readonly ignoreFirst: boolean;
  readonly yMin: number | null;
  readonly yMax: number | null;
  readonly log: boolean;
  /** Around the mean of a field: its standard deviation, its smallest and largest value, or nothing. */
  readonly band: Band;
  /** Further metrics that are drawn in the same chart. */
  readonly more: readonly string[];
}

/** Lines of one chart that can still be told apart. */
export const MAX_METRICS = 12;

export const BANDS = ["std", "range", "none"] as const;
export type Band = (typeof BANDS)[number];

/** A chart has an identity of its own: the same plot can be there several times. */
export interface ChartSpec extends Plot {
  readonly id: string;
  /** What is written over the chart, where its metrics' names together would say less. */
  readonly title?: string;
  readonly settings: ChartSettings;
}

export const DEFAULT_SETTINGS: ChartSettings = {
  ignoreOutliers: false,
  k: DEFAULT_K,
  ignoreFirst: false,
  yMin: null,
  yMax: null,
  log: false,
  band: "none",
  more: [],
};

/** Settings read from storage or from the server, where anything may lie; what makes no sense becomes the default. */
export function parseSettings(stored: unknown): ChartSettings {
  const given = (typeof stored === "object" && stored !== null ? stored : {}) as Record<string, unknown>;
  const k = finite(given.k);
  return {
    ignoreOutliers: given.ignoreOutliers === true,
    k: k !== null && k > 0 ? Math.min(k, MAX_K) : DEFAULT_K,
    ignoreFirst: given.ignoreFirst === true,
    yMin: finite(given.yMin),
    yMax: finite(given.yMax),
    log: given.log === true,
    band: BANDS.find((band) => band === given.band) ?? DEFAULT_SETTINGS.band,
    more: names(given.more),
  };
}

function names(stored: unknown): string[] {
  const given = Array.isArray(stored) ? stored : [];
  return given.filter((name): name is string => typeof name === "string" && name !== "").slice(0, MAX_METRICS - 1);
}

/** The metrics of a chart, the one it is called by first. */
export function metricsOf({ kind, name, settings }: ChartSpec): string[] {
  return kind === "line" ? [...new Set([name, ...settings.more])] : [name];
}

/** How many settings differ from a fresh chart's, for the mark on the gear. */
export function changedCount(settings: ChartSettings): number {
  return (
    Number(settings.ignoreOutliers) +
    Number(settings.ignoreFirst) +
    Number(settings.yMin !== null || settings.yMax !== null) +
    Number(settings.log)
  );
}

/** Why a manual range cannot be used, in words for the person who typed it; null when it can. */
export function rangeProblem({ yMin, yMax, log }: ChartSettings): string | null {
  if (yMin !== null && yMax !== null && yMin >= yMax) return "The minimum must lie below the maximum.";
  if (log && yMax !== null && yMax <= 0) return "A logarithmic axis has no room below zero.";
  return null;
}

/** A number as typed into a settings box; empty and half-typed text is "not set". */
export function parseBound(text: string): number | null {
  const trimmed = text.trim();
  return trimmed === "" ? null : finite(Number(trimmed));
}

function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
