import { describe, expect, it } from "vitest";
import { groupRows, pagesFor } from "./listRows";

describe("rows of a list with opened groups", () => {
  const rows = groupRows(
    4,
    new Map([
      [2, 1],
      [0, 2],
    ]),
  );

  it("come in reading order", () => {
    expect(Array.from({ length: rows.count }, (_, row) => rows.at(row))).toEqual([
      { kind: "group", group: 0 },
      { kind: "sample", group: 0, nth: 0 },
      { kind: "sample", group: 0, nth: 1 },
      { kind: "group", group: 1 },
      { kind: "group", group: 2 },
      { kind: "sample", group: 2, nth: 0 },
      { kind: "group", group: 3 },
    ]);
  });

  it("can be found again", () => {
    expect([rows.of(0), rows.of(0, 1), rows.of(1), rows.of(2, 0), rows.of(3)]).toEqual([0, 2, 3, 5, 6]);
  });

  it("show a sample of a closed group at its group", () => {
    expect(rows.of(1, 3)).toBe(3);
  });

  it("cost nothing for 100,000 groups", () => {
    expect(groupRows(100_000, new Map()).at(99_999)).toEqual({ kind: "group", group: 99_999 });
  });
});

describe("pages", () => {
  it("cover what is in view", () => {
    expect(pagesFor(0, 30, 100)).toEqual([0]);
    expect(pagesFor(90, 210, 100)).toEqual([0, 1, 2]);
    expect(pagesFor(-5, -1, 100)).toEqual([]);
  });
});
