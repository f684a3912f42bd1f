/** What the address says of the tree of a group: that it is shown, and which two samples are picked in it. */

import type { View } from "../../state/url";

export function withPicks(other: View["other"], a: string, b: string): View["other"] {
  const { a: _a, b: _b, ...rest } = other;
  return { ...rest, ...(a ? { a } : {}), ...(b ? { b } : {}) };
}

/** The tree in the list's place, or the list again. Either begins with nothing picked. */
export function treePatch(tree: boolean, { other }: View): Partial<View> {
  return { tree, side: false, other: withPicks(other, "", "") };
}
