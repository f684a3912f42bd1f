/** The state of the page is its URL. This file is the whole translation between the two; it touches no DOM.
 *
 * Everything is in the query string (`?run=demo&page=evals&split=eval/aime24&step=40&sample=3`): the path stays whatever
 * prefix a proxy put there, so the page needs to know nothing about it. */

const PAGES = ["rollouts", "discarded", "evals", "insights", "metrics", "run", "runs", "search"] as const;
export type PageName = (typeof PAGES)[number];

/** "latest" follows a live run: it means the newest step, whichever that is now. */
export type StepChoice = number | "latest" | null;
export type ListKind = "groups" | "samples";

export interface View {
  page: PageName;
  /** The run being read; null: the first there is. */
  run: string | null;
  /** Runs overlaid on the charts, beside `run`. */
  compare: readonly string[];
  /** null: the page's first split. */
  split: string | null;
  step: StepChoice;
  /** The list goes over these steps: "all", or "140:313" for 140 to 312; null: over the one step that is open. */
  steps: string | null;
  /** A sample's place in its step: the last number of its address. */
  sample: number | null;
  /** A group to show although its sample is not (yet) chosen. */
  group: string | null;
  where: string;
  /** A field, with a minus sign for descending: "index", "-reward", "metrics.correct", "-spread". */
  sort: string;
  list: ListKind;
  /** Dot columns; null: the user's usual ones. */
  columns: readonly string[] | null;
  /** The sample as one string. */
  raw: boolean;
  /** All samples of the group side by side. */
  side: boolean;
  /** The group of the open sample as a tree, in the list's place. */
  tree: boolean;
  /** Text looked for inside the sample. */
  find: string;
  /** What only one page understands (a dashboard's name, a search); kept as it is. */
  other: Readonly<Record<string, string>>;
}

export const DEFAULT_VIEW: View = {
  page: "rollouts",
  run: null,
  compare: [],
  split: null,
  step: null,
  steps: null,
  sample: null,
  group: null,
  where: "",
  sort: "index",
  list: "groups",
  columns: null,
  raw: false,
  side: false,
  tree: false,
  find: "",
  other: {},
};

const KNOWN = new Set(Object.keys(DEFAULT_VIEW));
/** The server turns a token into a cookie; it must not stay in links that people paste. */
const DROPPED = new Set(["token", "other"]);

function isPage(name: string | null): name is PageName {
  return PAGES.includes(name as PageName);
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** "all", or a range that holds something. */
function stepsChoice(text: string | null): string | null {
  if (text === "all") return text;
  const range = parseStepRange(text ?? "");
  return range && formatStepRange(range);
}

export interface StepRange {
  first: number;
  last: number;
}

/** "140:313" → 140 to 312: as the server and Python write ranges. */
export function parseStepRange(text: string): StepRange | null {
  const match = /^(-?\d{1,15}):(-?\d{1,15})$/.exec(text);
  if (!match) return null;
  const range = { first: Number(match[1]), last: Number(match[2]) - 1 };
  return range.last >= range.first ? range : null;
}

export function formatStepRange({ first, last }: StepRange): string {
  return `${first}:${last + 1}`;
}

function list(text: string | null): string[] {
  return (text ?? "").split(",").filter(Boolean).map(decodeComma);
}

// Lists are comma-separated; a comma inside a name is written as %2C once more.
const encodeComma = (name: string): string => name.replaceAll("%", "%25").replaceAll(",", "%2C");
const decodeComma = (name: string): string => name.replaceAll("%2C", ",").replaceAll("%25", "%");

export function parseView(search: string): View {
  const query = new URLSearchParams(search);
  const page = query.get("page");
  const step = query.get("step");
  const other: Record<string, string> = {};
  for (const [name, value] of query) if (!KNOWN.has(name) && !DROPPED.has(name)) other[name] = value;
  return {
    page: isPage(page) ? page : "rollouts",
    run: query.get("run") || null,
    compare: list(query.get("compare")),
    split: query.get("split") || null,
    step: step === "latest" ? "latest" : wholeNumber(step),
    steps: stepsChoice(query.get("steps")),
    sample: wholeNumber(query.get("sample")),
    group: query.get("group") || null,
    where: query.get("where") ?? "",
    sort: query.get("sort") || "index",
    list: query.get("list") === "samples" ? "samples" : "groups",
    columns: query.has("columns") ? list(query.get("columns")) : null,
    raw: query.get("raw") === "1",
    side: query.get("side") === "1",
    tree: query.get("tree") === "1",
    find: query.get("find") ?? "",
    other,
  };
}

/** The query string of a view, defaults left out: "" or "?…". Slashes stay readable. */
export function formatView(view: View): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | number | null, standard: string | null = null): void => {
    if (value !== null && value !== "" && value !== standard) query.set(name, String(value));
  };
  put("run", view.run);
  put("page", view.page, "rollouts");
  put("compare", view.compare.map(encodeComma).join(","));
  put("split", view.split);
  put("steps", view.steps);
  put("step", view.step);
  put("group", view.group);
  put("sample", view.sample);
  put("where", view.where);
  put("sort", view.sort, "index");
  put("list", view.list, "groups");
  if (view.columns) query.set("columns", view.columns.map(encodeComma).join(","));
  put("raw", view.raw ? 1 : null);
  put("side", view.side ? 1 : null);
  put("tree", view.tree ? 1 : null);
  put("find", view.find);
  for (const [name, value] of Object.entries(view.other)) if (!KNOWN.has(name)) put(name, value);
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text && `?${text}`;
}

/** The view after a change. A choice undoes the narrower ones below it unless the change names them too:
 * another run has other splits, another split other steps, another step other samples. */
export function changeView(view: View, patch: Partial<View>): View {
  const next: View = { ...view, ...patch };
  const changed = (key: keyof View): boolean => key in patch && patch[key] !== view[key];
  const reset = (...keys: (keyof View)[]): void => {
    for (const key of keys) if (!(key in patch)) Object.assign(next, { [key]: DEFAULT_VIEW[key] });
  };
  if (changed("page")) {
    const stays = keepsSample(view, next.page);
    reset("other", "split", "group", "raw", "side", "tree", "find", ...(stays ? [] : (["sample"] as const)));
  }
  if (changed("run")) reset("split", "step", "steps", "group", "sample", "where", "find", "side", "tree");
  if (changed("split")) reset("step", "group", "sample", "find");
  if (changed("step")) reset("group", "sample", "find");
  if (changed("page") && usesEvals(view.page) !== usesEvals(next.page)) reset("step", "steps", "where");
  if ("run" in patch) next.compare = next.compare.filter((id) => id !== next.run);
  return next;
}

/** From Rollouts to a page without a list and back, the sample that was open is open still. A split has to be named
 * again by a page that lists others: the sample of another than the first is not kept. */
function keepsSample(view: View, to: PageName): boolean {
  const isOfFirst = view.split === null || view.split === "train";
  const isList = (page: PageName): boolean => page === "rollouts" || page === "discarded" || page === "evals";
  return isOfFirst && (view.page === "rollouts" || !isList(view.page)) && (to === "rollouts" || !isList(to));
}

const usesEvals = (page: PageName): boolean => page === "evals";

/** `next` with the parts of `before` that are equal: whoever depends on the compared runs or a page's own parameters
 * (every chart does) is not told of a change when only the sample changed. */
export function shareView(before: View, next: View): View {
  const shared = (key: "compare" | "columns" | "other"): boolean =>
    JSON.stringify(before[key]) === JSON.stringify(next[key]);
  return {
    ...next,
    compare: shared("compare") ? before.compare : next.compare,
    columns: shared("columns") ? before.columns : next.columns,
    other: shared("other") ? before.other : next.other,
  };
}

/** A sample's address, as the server spells it. */
export function addressOf(split: string, step: number, sample: number): string {
  return `${split}/${step}/${sample}`;
}

/** The page on which a split's samples are read. */
export function pageOfSplit(split: string): "rollouts" | "evals" {
  return split === "eval" || split.startsWith("eval/") ? "evals" : "rollouts";
}

/** The page and place at which an address is read: kept train samples on Rollouts, evals on Evals. */
export function parseAddress(address: string): { split: string; step: number; sample: number } | null {
  const match = /^(.+)\/(-?\d+)\/(\d+)$/.exec(address);
  return match ? { split: match[1] as string, step: Number(match[2]), sample: Number(match[3]) } : null;
}
