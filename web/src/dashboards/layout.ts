/**
 * Which charts stand where: the sidebar's list and the dashboards' sections, as plain values.
 *
 * A chart has an identity of its own, so the same plot can be there several times, each with its settings, and an edit,
 * a drag or a reload never mixes them up. Everything here returns a new value; nothing is changed in place.
 */
import type { Plot } from "../charts/series/catalog";
import { type ChartSettings, type ChartSpec, DEFAULT_SETTINGS, parseSettings } from "../charts/series/chartSettings";

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly charts: readonly ChartSpec[];
  readonly folded: boolean;
}

export interface Layout {
  readonly sections: readonly Section[];
}

const MAX_CHARTS = 500;

let counter = 0;

/** An id that no other chart or section has, in this browser or in one that saved the same dashboard. */
function freshId(): string {
  counter += 1;
  return `${Date.now().toString(36)}-${counter.toString(36)}-${Math.floor(Math.random() * 1e9).toString(36)}`;
}

export function newChart(
  plot: Plot & { readonly title?: string },
  settings: ChartSettings = DEFAULT_SETTINGS,
): ChartSpec {
  const title = plot.title === undefined ? {} : { title: plot.title };
  return { id: freshId(), kind: plot.kind, name: plot.name, settings, ...title };
}

export function newSection(title: string, charts: readonly ChartSpec[] = []): Section {
  return { id: freshId(), title, charts, folded: false };
}

/* A list of charts: the sidebar, or one section. */

export function withSettings(charts: readonly ChartSpec[], id: string, settings: ChartSettings): ChartSpec[] {
  return charts.map((chart) => (chart.id === id ? { ...chart, settings } : chart));
}

export function without<T extends { readonly id: string }>(items: readonly T[], id: string): T[] {
  return items.filter((item) => item.id !== id);
}

/** A copy right below the original, with the original's settings to start from. */
export function duplicated(charts: readonly ChartSpec[], id: string): ChartSpec[] {
  return charts.flatMap((chart) => (chart.id === id ? [chart, newChart(chart, chart.settings)] : [chart]));
}

/** The items with the one at `from` moved to `to`. Places outside the list are its ends. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = [...items];
  const [item] = rest.splice(from, 1);
  if (item === undefined) return rest;
  rest.splice(Math.max(0, Math.min(to, rest.length)), 0, item);
  return rest;
}

/** How often each plot is there, by name. */
export function plotCounts(charts: readonly Plot[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of charts) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/* A layout: sections of charts. */

export function sectionOf(layout: Layout, chartId: string): Section | null {
  return layout.sections.find((section) => section.charts.some((chart) => chart.id === chartId)) ?? null;
}

export function withSection(layout: Layout, id: string, change: (section: Section) => Section): Layout {
  return { ...layout, sections: layout.sections.map((section) => (section.id === id ? change(section) : section)) };
}

/** The layout with a chart taken from where it is and put into a section at a place, settings and all. */
export function chartMoved(layout: Layout, chartId: string, sectionId: string, place: number): Layout {
  const chart = sectionOf(layout, chartId)?.charts.find((candidate) => candidate.id === chartId);
  if (!chart || !layout.sections.some((section) => section.id === sectionId)) return layout;
  const taken = { ...layout, sections: layout.sections.map((s) => ({ ...s, charts: without(s.charts, chartId) })) };
  return withSection(taken, sectionId, (section) => {
    const charts = [...section.charts];
    charts.splice(Math.max(0, Math.min(place, charts.length)), 0, chart);
    return { ...section, charts };
  });
}

export function chartCount(layout: Layout): number {
  return layout.sections.reduce((sum, section) => sum + section.charts.length, 0);
}

/* From storage and from the server, where anything may lie. */

export function parseCharts(stored: unknown): ChartSpec[] {
  if (!Array.isArray(stored)) return [];
  const taken = new Set<string>();
  return stored.slice(0, MAX_CHARTS).flatMap((item: unknown): ChartSpec[] => {
    if (!isRecord(item) || typeof item.name !== "string" || item.name === "") return [];
    const id = typeof item.id === "string" && item.id !== "" && !taken.has(item.id) ? item.id : freshId();
    taken.add(id);
    const kind = item.kind === "heat" ? "heat" : "line";
    const title = typeof item.title === "string" && item.title !== "" ? { title: item.title } : {};
    return [{ id, kind, name: item.name, settings: parseSettings(item.settings), ...title }];
  });
}

export function parseLayout(stored: unknown): Layout {
  if (!isRecord(stored) || !Array.isArray(stored.sections)) return { sections: [] };
  const sections = stored.sections.flatMap((item: unknown): Section[] => {
    if (!isRecord(item)) return [];
    const title = typeof item.title === "string" ? item.title : "";
    const id = typeof item.id === "string" && item.id !== "" ? item.id : freshId();
    return [{ id, title, charts: parseCharts(item.charts), folded: item.folded === true }];
  });
  return { sections };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
