/** Where j and k scroll to: the top of the next or previous message, seen from the present scroll position. */
export function nextTop(tops: readonly number[], scroll: number, by: 1 | -1): number | null {
  // A few pixels: a message whose top is at the edge is the one being read.
  const near = 4;
  return (by === 1 ? tops.find((top) => top > scroll + near) : tops.findLast((top) => top < scroll - near)) ?? null;
}
