/** The order in which samples are read: groups as listed, samples as listed inside each. Keys move along it. */

import type { Action } from "../state/keys";

/** A sample of the split: its step, and its place in that. */
export interface Spot {
  step: number;
  sample: number;
}

export interface OrderedGroup {
  /** A group's name as text; "" for samples without one. */
  key: string;
  step: number;
  samples: readonly number[];
}

export interface Place {
  group: number;
  sample: number;
}

export function groupKey(group: number | string | null): string {
  return group === null ? "" : String(group);
}

export function findPlace(order: readonly OrderedGroup[], spot: Spot | null): Place | null {
  if (spot === null) return null;
  for (let group = 0; group < order.length; group += 1) {
    const here = order[group];
    const at = here?.step === spot.step ? here.samples.indexOf(spot.sample) : -1;
    if (at >= 0) return { group, sample: at };
  }
  return null;
}

/** A sample of an ordered group, by its place in that. */
export function spotIn(group: OrderedGroup | undefined, place: number): Spot | null {
  const sample = group?.samples.at(place);
  return group === undefined || sample === undefined ? null : { step: group.step, sample };
}

/** The sample an action leads to, or null at an end. Without a place, forward starts at the first sample. */
export function target(order: readonly OrderedGroup[], place: Place | null, action: Action): Spot | null {
  const first = (group: number): Spot | null => spotIn(order[group], 0);
  if (!place) return action === "next-sample" || action === "next-group" ? first(0) : null;
  const here = order[place.group];
  switch (action) {
    case "next-sample":
      return spotIn(here, place.sample + 1) ?? first(place.group + 1);
    case "previous-sample":
      return place.sample > 0 ? spotIn(here, place.sample - 1) : spotIn(order[place.group - 1], -1);
    case "next-group":
      return first(place.group + 1);
    case "previous-group":
      return first(place.group - 1);
    default:
      return null;
  }
}

/** The step before or after one, by its number: steps may have gaps, and the one asked for need not be there. */
export function stepTarget(steps: readonly number[], step: number | null, action: Action): number | null {
  switch (action) {
    case "first-step":
      return steps[0] ?? null;
    case "last-step":
      return steps.at(-1) ?? null;
    case "next-step":
      return step === null ? null : (steps.find((other) => other > step) ?? null);
    case "previous-step":
      return step === null ? null : (steps.findLast((other) => other < step) ?? null);
    default:
      return null;
  }
}

/** The existing step nearest to a typed number. */
export function nearestStep(steps: readonly number[], wanted: number): number | null {
  let best: number | null = null;
  for (const step of steps) if (best === null || Math.abs(step - wanted) < Math.abs(best - wanted)) best = step;
  return best;
}
