import { describe, expect, it } from "vitest";
import type { GroupTree, TreeNode } from "../../api/types";
import { forkCount, opensAtFirst, pickNext, shownBranches, shownStretch, thickness, widestPair } from "./treeLayout";

const node = (samples: number[], children: number[], ended: number[] = []) =>
  ({ samples, children, ended }) as unknown as TreeNode;

describe("a group's tree", () => {
  const tree = {
    samples: [0, 1, 2, 3],
    nodes: [node([0, 1, 2, 3], [1, 2]), node([0, 1, 2], [], [0, 1, 2]), node([3], [], [3])],
  } as unknown as GroupTree;

  it("has branches as thick as their share", () => {
    expect(tree.nodes.map((each) => thickness(each, tree))).toEqual([8, 7, 4]);
  });

  it("counts where ways part; an end beside a way on is one of them", () => {
    expect(forkCount(tree)).toBe(1);
    expect(forkCount({ ...tree, nodes: [node([0, 1], [1], [0]), node([1], [], [1])] } as GroupTree)).toBe(1);
  });

  it("shows the first words after a fork apart, and how much follows", () => {
    expect(shownStretch(" and so it is that we go on", true)).toEqual({
      head: " and so it is ",
      rest: "that we go on",
      more: 0,
    });
    expect(shownStretch("x".repeat(400), false).more).toBe(240);
    expect(shownStretch("x".repeat(400), false, true).more).toBe(0);
  });
});

describe("the branches of a large group", () => {
  // 300 responses: one way has 200 of them, two have 20 and 2, and 78 go their own ways.
  const ends = Array.from({ length: 78 }, (_, place) => node([222 + place], []));
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);
  const nodes = [
    node(range(0, 300), range(1, 82)),
    node(range(220, 222), []),
    node(range(0, 200), []),
    node(range(200, 220), []),
    ...ends,
  ];
  const tree = { samples: range(0, 300), nodes } as unknown as GroupTree;
  const root = nodes[0] as TreeNode;

  it("are shown from one in a hundred on, at least the largest three, in their order", () => {
    expect(shownBranches(root, tree, [])).toEqual({ shown: [1, 2, 3], others: 78 });
  });

  it("are shown in any case on the way to a sample that is wanted", () => {
    expect(shownBranches(root, tree, [5, 299])).toEqual({ shown: [1, 2, 3, 81], others: 77 });
  });

  it("are shown when asked for, so many at a time", () => {
    expect(shownBranches(root, tree, [], 50).others).toBe(28);
    expect(shownBranches(root, tree, [], 100).others).toBe(0);
  });

  it("are folded at first where they are tiny and lead to nothing that is wanted", () => {
    const open = (place: number, wanted: number[] = []) => opensAtFirst(nodes[place] as TreeNode, tree, wanted);
    expect([open(0), open(3), open(1), open(81)]).toEqual([true, true, false, false]);
    expect([open(1, [221]), open(81, [299])]).toEqual([true, true]);
  });

  it("are all shown in a group of a usual size", () => {
    const small = { ...tree, samples: range(0, 100) } as unknown as GroupTree;
    expect(shownBranches(root, small, []).others).toBe(0);
  });
});

describe("picking two", () => {
  it("takes the first as A, the next as B, and begins again", () => {
    expect(pickNext("", "", "x")).toEqual({ a: "x", b: "" });
    expect(pickNext("x", "", "y")).toEqual({ a: "x", b: "y" });
    expect(pickNext("x", "y", "z")).toEqual({ a: "z", b: "" });
    expect(pickNext("x", "y", "x")).toEqual({ a: "y", b: "" });
    expect(pickNext("x", "y", "y")).toEqual({ a: "x", b: "" });
  });

  it("finds the pair that shows what the widest fork changed", () => {
    const samples = [1, 0.5, 0.9, 0, null].map((reward, place) => ({ address: `train/1/${place}`, reward }));
    const forked = {
      samples,
      parts_most: 0,
      nodes: [node([0, 1, 2, 3, 4], [1, 2], [4]), node([0, 1], []), node([2, 3], [])],
    } as unknown as GroupTree;
    expect(widestPair(forked)).toEqual({ a: "train/1/3", b: "train/1/0" });
    expect(widestPair({ ...forked, parts_most: null })).toBeNull();
  });
});
