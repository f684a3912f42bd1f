/** Where one was on each page that lists samples: its tab leads back there, as a tab of a browser does. */
import type { PageName, View } from "../state/url";

const LISTS: readonly PageName[] = ["rollouts", "discarded", "evals"];
/** What is one page's own; Rollouts and Discarded share their steps and their filter, which stay as they are. */
const OWN = ["split", "group", "sample"] as const;
const SHARED = ["step", "steps", "where"] as const;

const places = new Map<PageName, View>();

export function rememberPlace(view: View): void {
  if (LISTS.includes(view.page)) places.set(view.page, view);
}

/** What a click on a page's tab changes. */
export function tabTarget(page: PageName, view: View): Partial<View> {
  const place = places.get(page);
  if (!place || page === view.page || place.run !== view.run) return { page };
  // A page without a list keeps the step and filter of the train samples; those of evals are others.
  const isShared = page !== "evals" && view.page !== "evals";
  if (isShared && SHARED.some((key) => place[key] !== view[key])) return { page };
  return { page, ...picked(place, OWN), ...picked(place, SHARED) };
}

function picked(view: View, keys: readonly (keyof View)[]): Partial<View> {
  return Object.fromEntries(keys.map((key) => [key, view[key]]));
}
