/** The responses of a group as rows: what is shown of each stretch, how wide its branch is, which sample is a leaf. */

import type { GroupTree, TreeNode } from "../../api/types";

/** Characters of a stretch that are shown at its start. */
export const SHOWN = 160;
/** More leaves below one stretch than this are shown when asked for. */
export const LEAVES = 50;

/** In a large group, branches of a smaller share than this are shown when asked for, this many at a time. */
const SMALL_SHARE = 0.01;
export const BRANCHES = 50;
/** So many of the largest are shown however small they are. */
const LARGEST = 3;

/** Rewards of so many samples stand as dots beside their branch. */
export const DOTS = 12;

/** A branch is as thick as its share of the group: 2 to 8 pixels. */
export function thickness(node: TreeNode, tree: GroupTree): number {
  return 2 + Math.round((6 * node.samples.length) / Math.max(1, tree.samples.length));
}

interface ShownStretch {
  /** The words after a fork: what tells this way from the others. */
  readonly head: string;
  readonly rest: string;
  /** Characters that are not shown. */
  readonly more: number;
}

export function shownStretch(text: string, isFork: boolean, whole = false): ShownStretch {
  const points = [...text];
  const shown = whole ? points : points.slice(0, SHOWN);
  const said = shown.join("");
  const head = isFork ? (/^\s*(?:\S+\s*){1,4}/u.exec(said)?.[0] ?? "") : "";
  return { head, rest: said.slice(head.length), more: points.length - shown.length };
}

/** Whether a branch is unfolded at first: one that is no tiny part of the group, or leads to a sample that is wanted. */
export function opensAtFirst(node: TreeNode, tree: GroupTree, wanted: readonly number[]): boolean {
  const isSmall = node.samples.length < SMALL_SHARE * tree.samples.length;
  return !isSmall || wanted.some((sample) => node.samples.includes(sample));
}

/** The branches of a node that are shown, in their order, and how many are not: of five thousand responses nearly each
 * has an end of its own. Those that lead to one of the wanted samples are shown in any case. */
export function shownBranches(
  node: TreeNode,
  tree: GroupTree,
  wanted: readonly number[],
  asked = 0,
): { shown: readonly number[]; others: number } {
  const size = (child: number): number => tree.nodes[child]?.samples.length ?? 0;
  const bySize = [...node.children].sort((a, b) => size(b) - size(a) || a - b);
  const large = bySize.filter((child) => size(child) >= SMALL_SHARE * tree.samples.length).length;
  const isWanted = (child: number): boolean =>
    wanted.some((sample) => tree.nodes[child]?.samples.includes(sample) ?? false);
  const shown = new Set([...bySize.slice(0, Math.max(large, LARGEST) + asked), ...node.children.filter(isWanted)]);
  return { shown: node.children.filter((child) => shown.has(child)), others: node.children.length - shown.size };
}

/** How often and how far apart: the forks of a tree. */
export function forkCount(tree: GroupTree): number {
  return tree.nodes.filter(({ children, ended }) => children.length + (ended.length > 0 ? 1 : 0) > 1).length;
}

/** Picking one after another: first A, then B, then A again. Picking one that is picked lets it go. */
export function pickNext(a: string, b: string, picked: string): { a: string; b: string } {
  if (picked === a) return { a: b, b: "" };
  if (picked === b) return { a, b: "" };
  if (a === "") return { a: picked, b };
  return b === "" ? { a, b: picked } : { a: picked, b: "" };
}

/** What is most worth reading beside each other: the worst sample of the worst branch of the widest fork, and the best of
 * its best branch. Null where rewards do not diverge. */
export function widestPair(tree: GroupTree): { a: string; b: string } | null {
  const fork = tree.parts_most === null ? undefined : tree.nodes[tree.parts_most];
  if (!fork) return null;
  // What ends at the fork is a branch of its own each.
  const branches = [
    ...fork.children.map((child) => tree.nodes[child]?.samples ?? []),
    ...fork.ended.map((one) => [one]),
  ];
  const ways = branches
    .map((samples) => samples.flatMap((place) => rewarded(tree, place)))
    .filter((way) => way.length > 0);
  const means = ways.map((way) => way.reduce((sum, { reward }) => sum + reward, 0) / way.length);
  const worst = ways[means.indexOf(Math.min(...means))]?.reduce((one, other) =>
    other.reward < one.reward ? other : one,
  );
  const best = ways[means.indexOf(Math.max(...means))]?.reduce((one, other) =>
    other.reward > one.reward ? other : one,
  );
  return worst && best && worst !== best ? { a: worst.address, b: best.address } : null;
}

function rewarded(tree: GroupTree, place: number): { address: string; reward: number }[] {
  const { address, reward } = tree.samples[place] ?? { address: "", reward: null };
  return reward === null || !Number.isFinite(reward) ? [] : [{ address, reward }];
}
