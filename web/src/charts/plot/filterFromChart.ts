import { stepTest, type Test, withCondition } from "../../state/conditions";
import type { PageName, StepRange } from "../../state/url";
import { currentView, go } from "../../state/view";
import type { HeatSource } from "../series/useChartData";
import { binAt } from "./heatMap";

const LISTS: readonly PageName[] = ["rollouts", "discarded", "evals"];

const isList = (page: PageName): boolean => LISTS.includes(page);

/** The page of lists that is open, else the one on which a split's samples are read. */
function listPage(split: string): PageName {
  const { page } = currentView();
  return isList(page) ? page : split.startsWith("eval") ? "evals" : "rollouts";
}

/** A cell of a distribution: the samples of its step whose value lies in its bin. The condition stands in the filter. */
export function openCell({ field, split }: HeatSource, edges: readonly number[], step: number, value: number): void {
  const { where } = currentView();
  const test = binTest(edges, value, value);
  go({
    page: listPage(split),
    split,
    steps: null,
    step,
    sample: null,
    where: test ? withCondition(where, field, test) : where,
  });
}

/** A box over a distribution: the samples whose value lies in its bins, in its steps, as conditions in the filter. */
export function openBox(
  { field, split }: HeatSource,
  edges: readonly number[],
  steps: StepRange | null,
  [low, high]: readonly [number, number],
): void {
  const test = binTest(edges, low, high);
  const { where } = currentView();
  const valued = test ? withCondition(where, field, test) : where;
  const held =
    steps && steps.first <= steps.last ? withCondition(valued, "step", stepTest(steps.first, steps.last)) : valued;
  go({ page: listPage(split), split, where: held, ...overAllSteps() });
}

/** A stretch of steps, on the page of lists that is open, else on Rollouts: a condition in the filter. */
export function openSteps(first: number, last: number): void {
  const { page, where } = currentView();
  const held = withCondition(where, "step", stepTest(first, last));
  go({ page: isList(page) ? page : "rollouts", where: held, ...overAllSteps() });
}

function overAllSteps() {
  const { sort } = currentView();
  return { steps: "all", list: "samples" as const, sort: sort === "index" ? "-step" : sort };
}

/** The whole of the bins from one value's to another's; null beyond both ends. */
function binTest(edges: readonly number[], low: number, high: number): Test | null {
  const last = edges.length - 2;
  const first = edges[0] as number;
  if (last < 0 || high < first || low > (edges.at(-1) as number)) return null;
  const from = binAt(edges, low) ?? 0;
  const to = binAt(edges, high) ?? last;
  return { from: edges[from] as number, to: edges[to + 1] as number, withTo: to === last };
}
