import { withCondition } from "../../state/conditions";
import type { PageName } from "../../state/url";
import { currentView, go } from "../../state/view";
import type { HeatSource } from "../series/useChartData";
import { binAt } from "./heatMap";

const LISTS: readonly PageName[] = ["rollouts", "discarded", "evals"];

/** A cell of a distribution: the samples of its step whose value lies in its bin. The condition stands in the filter. */
export function openCell({ field, split }: HeatSource, edges: readonly number[], step: number, value: number): void {
  const bin = binAt(edges, value);
  const { page, where } = currentView();
  const target = {
    page: LISTS.includes(page) ? page : split.startsWith("eval") ? ("evals" as const) : ("rollouts" as const),
    split,
    steps: null,
    step,
    sample: null,
  };
  const [from, to] = bin === null ? [] : [edges[bin], edges[bin + 1]];
  const isCell = from !== undefined && to !== undefined;
  const withTo = bin === edges.length - 2;
  go({ ...target, where: isCell ? withCondition(where, field, { from, to, withTo }) : where });
}
