/**
 * The metric catalog as a tree: section / group / metric, by the `/` in a metric's name.
 *
 * One catalog serves the Metrics page, the sidebar's picker and dashboards. With several runs overlaid it is the union of
 * theirs: a metric only the baseline has is still a chart.
 */
import { fieldName, fieldNamed } from "../../api/fields";
import type { SeriesInfo } from "../../api/types";

export type CatalogEntry = Readonly<SeriesInfo>;

/** A line over steps, or a field's distribution over steps as a heat map. */
type ChartKind = "line" | "heat";

export interface Plot {
  readonly kind: ChartKind;
  readonly name: string;
}

export interface PlotEntry extends Plot {
  readonly section: string;
  readonly group: string;
  readonly title: string;
  readonly detail: string;
  readonly origin: "logged" | "derived";
  readonly points: number;
  /** The same value at every step of the only run that has it. */
  readonly constant: boolean;
  /** A statistic that its field's mean shows as a band: std, min, max. */
  readonly inBand: boolean;
  /** Logged by the trainer about an eval whose samples are there too: what is derived from these says most of it. */
  readonly ofEval: boolean;
}

export interface CatalogGroup {
  readonly name: string;
  readonly plots: readonly PlotEntry[];
}

export interface CatalogSection {
  readonly name: string;
  readonly groups: readonly CatalogGroup[];
  readonly count: number;
}

export const GENERAL = "General";

/** No `/`: General; `a/b`: section a; `a/b/c…`: section a, group b. */
export function placeOf(name: string): { section: string; group: string; metric: string } {
  const [first = "", second, ...rest] = name.split("/");
  if (second === undefined) return { section: GENERAL, group: "", metric: name };
  if (rest.length === 0) return { section: first, group: "", metric: second };
  return { section: first, group: second, metric: rest.join("/") };
}

const STATISTICS = new Set(["mean", "std", "min", "max", "count", "pct", "distribution", "spread"]);
const HEAT_SUFFIX = "/distribution";

/** The heat map's name beside its field's other statistics: `rollouts/reward/mean` → `rollouts/reward/distribution`. */
function heatName(entry: { readonly name: string }): string {
  return entry.name.slice(0, Math.max(0, entry.name.lastIndexOf("/"))) + HEAT_SUFFIX;
}

/** The words over a chart: what is measured, and which statistic of it. */
export function titleOf(name: string, origin: "logged" | "derived" = "logged"): { title: string; detail: string } {
  if (origin === "logged") return { title: name, detail: "" };
  const parts = name.replace(/_pct$/, "/pct").split("/");
  const statistic = parts.length > 2 ? (parts.pop() as string) : "";
  if (statistic && !STATISTICS.has(statistic)) parts.push(statistic);
  // The section is said by the page's heading for the run's own rollouts; elsewhere (evals, discarded) it tells charts apart.
  const words = (parts[0] === "rollouts" ? parts.slice(1) : parts)
    .map((part) => (isField(part) ? fieldName(part) : part.replaceAll("_", " ")))
    .join(" · ");
  const detail = { distribution: "distribution over steps", pct: "%" }[statistic] ?? statistic;
  return { title: words, detail: STATISTICS.has(statistic) ? detail : "" };
}

/** A sample's field has one title wherever it stands; a metric has the trainer's own name. */
const isField = (name: string): boolean => fieldNamed(name) !== undefined || /^(metrics|rewards)\./.test(name);

/** A group of the catalog as its charts are titled. */
export const groupTitle = (group: string): string => (isField(group) ? fieldName(group) : group);

/** What is written over a chart: its metric, and which statistic; of several metrics the first, and how many more. */
export function chartTitle(
  metrics: readonly string[],
  origin: "logged" | "derived",
  given?: string,
): { title: string; detail: string; label: string } {
  const [name = "", ...more] = metrics;
  const { title, detail } = titleOf(name, origin);
  if (given !== undefined) return { title: given, detail: "", label: given };
  if (more.length > 0) return { title, detail: `and ${more.length} more`, label: `${title} and ${more.length} more` };
  return { title, detail, label: detail ? `${title}, ${detail}` : title };
}

/** Everything that can be drawn: each metric once, and each spread field once as a heat map, right after its statistics. */
export function plotsOf(catalogs: readonly (readonly CatalogEntry[])[]): PlotEntry[] {
  const plots = new Map<string, PlotEntry>();
  for (const entry of catalogs.flat()) {
    const known = plots.get(entry.name);
    if (known) {
      // Two runs with a value each are worth a look: they may differ.
      plots.set(entry.name, { ...known, points: Math.max(known.points, entry.points), constant: false });
      const heat = plots.get(heatName(entry));
      if (heat?.kind === "heat") plots.set(heat.name, { ...heat, constant: false });
      continue;
    }
    const { name, section, group, origin, points, constant } = entry;
    const inBand = entry.field !== null && /\/(std|min|max)$/.test(name);
    const ofEval = false;
    plots.set(name, {
      ...{ kind: "line", name, section, group, origin, points, constant, inBand, ofEval },
      ...titleOf(name, origin),
    });
    if (entry.field === null || entry.split === null) continue;
    const heat = heatName(entry);
    if (!plots.has(heat)) {
      const more = { constant: true, inBand: false, ofEval: false, ...titleOf(heat, "derived") };
      plots.set(heat, { kind: "heat", name: heat, section, group, origin, points, ...more });
    }
    // A distribution stands still where all that is known of it does.
    const drawn = plots.get(heat) as PlotEntry;
    plots.set(heat, { ...drawn, constant: drawn.constant && constant });
  }
  return evalsTogether([...plots.values()]);
}

/** Each eval once: what a trainer logs under an eval's name stands with what is derived from that eval's samples. */
function evalsTogether(plots: PlotEntry[]): PlotEntry[] {
  const evals = new Map<string, string>();
  for (const { section, group, origin } of plots) {
    if (section === "eval" && origin === "derived") evals.set(plainName(group), group);
  }
  if (evals.size === 0) return plots;
  return plots.map((plot) => {
    if (plot.origin === "derived") return plot;
    const inner = EVAL_SECTIONS.has(plot.section.toLowerCase()) ? evals.get(plainName(plot.group)) : undefined;
    const group = inner ?? evals.get(plainName(plot.section));
    return group === undefined ? plot : { ...plot, section: "eval", group, ofEval: true };
  });
}

const EVAL_SECTIONS = new Set(["eval", "evals", "test", "val", "validation"]);

/** "Olympiad (avg@4)" is the eval whose files are called "Olympiad_avg_4". */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
}

/** A catalog as each of its charts asks it: a thousand of them would otherwise walk a thousand entries each. */
interface CatalogIndex {
  readonly named: ReadonlyMap<string, CatalogEntry>;
  readonly spread: ReadonlyMap<string, CatalogEntry>;
  readonly clock: string | null;
}

const indexes = new WeakMap<readonly CatalogEntry[], CatalogIndex>();

function indexOf(catalog: readonly CatalogEntry[]): CatalogIndex {
  const known = indexes.get(catalog);
  if (known) return known;
  const spread = new Map<string, CatalogEntry>();
  let clock: CatalogEntry | null = null;
  for (const entry of catalog) {
    if (entry.field !== null && !spread.has(heatName(entry))) spread.set(heatName(entry), entry);
    if (entry.origin === "logged" && entry.points > (clock?.points ?? 0)) clock = entry;
  }
  const named = new Map(catalog.map((entry) => [entry.name, entry]));
  const index = { named, spread, clock: clock?.name ?? null };
  indexes.set(catalog, index);
  return index;
}

export const entryNamed = (catalog: readonly CatalogEntry[], name: string): CatalogEntry | undefined =>
  indexOf(catalog).named.get(name);

/** The metric to read a run's clock from: the logged one with most points. Null when the trainer logged nothing. */
export const clockName = (catalog: readonly CatalogEntry[]): string | null => indexOf(catalog).clock;

/** Field and split behind a heat map's name; null when no metric of this run has it. */
export function heatSource(
  catalog: readonly CatalogEntry[],
  name: string,
): { readonly field: string; readonly split: string } | null {
  const entry = indexOf(catalog).spread.get(name);
  return entry?.field != null && entry.split !== null ? { field: entry.field, split: entry.split } : null;
}

const natural = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
/** What Rollscope derives from the samples comes first: it is there for every run, whatever its trainer logs. */
const FIRST_SECTIONS = ["rollouts", "eval", "discarded", GENERAL];
/** Of what is derived, what training is about before what it costs; a field this list does not know lies at the null. */
const FIELD_ORDER: readonly (RegExp | null)[] = [
  /^pass@/,
  /^reward$/,
  /^final_reward$/,
  /^rewards\./,
  /^metrics\./,
  /^advantage$/,
  /^groups$/,
  /^samples$/,
  null,
  /^completion_tokens$/,
  /^prompt_tokens$/,
  /^total_tokens$/,
  /^turns$/,
  /^staleness$/,
  /^response_bytes$/,
];
const STATISTIC_ORDER = ["mean", "distribution", "std", "min", "max"];

export function treeOf(plots: readonly PlotEntry[]): CatalogSection[] {
  const sections = new Map<string, Map<string, PlotEntry[]>>();
  for (const plot of plots) {
    const groups = sections.get(plot.section) ?? new Map<string, PlotEntry[]>();
    sections.set(plot.section, groups);
    groups.set(plot.group, [...(groups.get(plot.group) ?? []), plot]);
  }
  const rank = (section: string) => {
    const place = FIRST_SECTIONS.indexOf(section);
    return place < 0 ? FIRST_SECTIONS.length : place;
  };
  return [...sections]
    .sort(([a], [b]) => rank(a) - rank(b) || natural.compare(a, b))
    .map(([name, groups]) => ({
      name,
      count: [...groups.values()].reduce((sum, list) => sum + list.length, 0),
      groups: [...groups]
        .sort(([a, [one]], [b, [other]]) => fieldRank(a, one) - fieldRank(b, other) || natural.compare(a, b))
        .map(([group, list]) => ({ name: group, plots: list.sort(byFieldAndStatistic) })),
    }));
}

function fieldRank(field: string, plot: PlotEntry | undefined): number {
  if (plot?.origin !== "derived") return FIELD_ORDER.indexOf(null);
  const place = FIELD_ORDER.findIndex((pattern) => pattern?.test(field));
  return place < 0 ? FIELD_ORDER.indexOf(null) : place;
}

function byFieldAndStatistic(a: PlotEntry, b: PlotEntry): number {
  const [fieldA, statisticA] = fieldAndStatistic(a);
  const [fieldB, statisticB] = fieldAndStatistic(b);
  return (
    fieldRank(fieldA, a) - fieldRank(fieldB, b) ||
    natural.compare(fieldA, fieldB) ||
    statisticRank(statisticA) - statisticRank(statisticB) ||
    natural.compare(statisticA, statisticB)
  );
}

/** `eval/aime24/reward/mean` → reward, mean; `rollouts/reward/mean`, whose group is the field already → "", mean. */
function fieldAndStatistic(plot: PlotEntry): [field: string, statistic: string] {
  const start = plot.group === "" ? -1 : plot.name.indexOf(plot.group);
  const metric = plot.name.slice(start < 0 ? 0 : start + plot.group.length + 1);
  const cut = metric.lastIndexOf("/");
  const last = metric.slice(cut + 1);
  return STATISTIC_ORDER.includes(last) ? [metric.slice(0, Math.max(0, cut)), last] : [metric, ""];
}

function statisticRank(statistic: string): number {
  const place = STATISTIC_ORDER.indexOf(statistic);
  return place < 0 ? STATISTIC_ORDER.length : place;
}

/** The plots whose name holds every word of the query, in any order and case. */
export function searchPlots(plots: readonly PlotEntry[], query: string): PlotEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return plots.filter((plot) => {
    const text = `${plot.name} ${plot.title} ${plot.detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What a fresh sidebar shows: what one looks at first in any run, as far as this run has it. */
export function defaultPlots(plots: readonly PlotEntry[], limit = 6): Plot[] {
  const chosen = new Map<string, Plot>();
  const filled = plots.filter(({ points }) => points > 0);
  for (const pattern of LOOKED_AT_FIRST) {
    const plot = filled.find((candidate) => pattern.test(candidate.name) && !chosen.has(candidate.name));
    if (plot) chosen.set(plot.name, { kind: plot.kind, name: plot.name });
  }
  for (const plot of filled.length > 0 ? filled : plots) {
    if (chosen.size > 0) break;
    chosen.set(plot.name, { kind: plot.kind, name: plot.name });
  }
  return [...chosen.values()].slice(0, limit);
}

const LOOKED_AT_FIRST: readonly RegExp[] = [
  /^rollouts\/reward\/mean$/,
  /^rollouts\/reward\/distribution$/,
  /^rollouts\/completion_tokens\/mean$/,
  /(^|\/)(policy_)?entropy(\/mean|_loss)?$/,
  /(^|\/)grad_?norm$/,
  /(^|\/)(kl|kl_mean|kl_sample_train_v1|kl_loss|ppo_kl|mismatch_kl)(\/mean)?$/,
  /^rollouts\/samples\/truncated_pct$/,
  /^rollouts\/groups\/zero_variance_pct$/,
  /(^|\/)reward(\/mean|\/total|_mean)?$/,
  /(^|\/)loss$/,
  /^rollouts\/response_bytes\/mean$/,
];
