import type { RunInfo } from "../../api/types";
import { chooseSplit } from "../../state/selection";
import { addressOf, pageOfSplit, parseAddress, type View } from "../../state/url";

/** The view that shows a sample; null for what is no address. */
export function openSample(address: string, more: Partial<View> = {}): Partial<View> | null {
  const place = parseAddress(address);
  return place && { page: pageOfSplit(place.split), ...place, ...more };
}

/** The sample that is open on Rollouts, for what asks for one: "" where none is. */
export function openAddress(run: RunInfo, { split, step, sample }: View): string {
  const of = chooseSplit(run.splits, split);
  return of !== null && typeof step === "number" && sample !== null ? addressOf(of, step, sample) : "";
}
