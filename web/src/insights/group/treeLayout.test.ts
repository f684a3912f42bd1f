import { describe, expect, it } from "vitest";
import type { GroupTree, TreeNode } from "../../api/types";
import { forkCount, pickNext, shownStretch, thickness } from "./treeLayout";

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

describe("picking two", () => {
  it("takes the first as A, the next as B, and begins again", () => {
    expect(pickNext("", "", "x")).toEqual({ a: "x", b: "" });
    expect(pickNext("x", "", "y")).toEqual({ a: "x", b: "y" });
    expect(pickNext("x", "y", "z")).toEqual({ a: "z", b: "" });
    expect(pickNext("x", "y", "x")).toEqual({ a: "y", b: "" });
    expect(pickNext("x", "y", "y")).toEqual({ a: "x", b: "" });
  });
});
