/** Which row of a long list is what, without making the list: groups in order, the samples of opened ones below them. */

export type Row = { kind: "group"; group: number } | { kind: "sample"; group: number; nth: number };

export interface Rows {
  count: number;
  at: (row: number) => Row;
  /** The row of a group, or of a sample in an opened group. */
  of: (group: number, nth?: number) => number;
}

/** `open`: how many samples each opened group has, by the group's place. Few are open, so looking through them is fast. */
export function groupRows(groups: number, open: ReadonlyMap<number, number>): Rows {
  const opened = [...open].sort(([a], [b]) => a - b);
  const count = groups + opened.reduce((sum, [, samples]) => sum + samples, 0);
  return {
    count,
    at: (row) => {
      let above = 0;
      for (const [group, samples] of opened) {
        const groupRow = group + above;
        if (row <= groupRow) break;
        if (row <= groupRow + samples) return { kind: "sample", group, nth: row - groupRow - 1 };
        above += samples;
      }
      return { kind: "group", group: row - above };
    },
    of: (group, nth) => {
      let row = group;
      for (const [other, samples] of opened) if (other < group) row += samples;
      return nth === undefined || !open.has(group) ? row : row + 1 + nth;
    },
  };
}

/** The pages of `size` that hold the things from `first` to `last`. */
export function pagesFor(first: number, last: number, size: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(Math.max(0, first) / size); page * size <= last; page += 1) pages.push(page);
  return pages;
}
