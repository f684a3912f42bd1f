/** Keys and what they do: one table, from which the handler, the help overlay and the tests are made. */

export type Action =
  | "next-sample"
  | "previous-sample"
  | "next-step"
  | "previous-step"
  | "first-step"
  | "last-step"
  | "next-group"
  | "previous-group"
  | "next-turn"
  | "previous-turn"
  | "failing-turn"
  | "previous-failing-turn"
  | "outlier"
  | "next-mark"
  | "previous-mark"
  | "top"
  | "bottom"
  | "find"
  | "clear"
  | "filter"
  | "search"
  | "next-hit"
  | "previous-hit"
  | "raw"
  | "fold"
  | "side"
  | "diff"
  | "list-pane"
  | "metrics-pane"
  | "all-steps"
  | "tree"
  | "scatter"
  | "help";

interface Key {
  keys: readonly string[];
  action: Action;
  says: string;
}

export const KEYS: readonly { title: string; keys: readonly Key[] }[] = [
  {
    title: "Move",
    keys: [
      { keys: ["n", "ArrowRight"], action: "next-sample", says: "next sample" },
      { keys: ["p", "ArrowLeft"], action: "previous-sample", says: "previous sample" },
      { keys: ["]"], action: "next-group", says: "next group" },
      { keys: ["["], action: "previous-group", says: "previous group" },
      { keys: ["N"], action: "next-step", says: "next step" },
      { keys: ["P"], action: "previous-step", says: "previous step" },
      { keys: ["a"], action: "all-steps", says: "one step, or all steps in one list" },
    ],
  },
  {
    title: "Read",
    keys: [
      { keys: ["j"], action: "next-turn", says: "next turn" },
      { keys: ["k"], action: "previous-turn", says: "previous turn" },
      { keys: ["x", "J"], action: "failing-turn", says: "next failing turn" },
      { keys: ["K"], action: "previous-failing-turn", says: "previous failing turn" },
      { keys: ["o"], action: "outlier", says: "next outlier, where tokens are shown" },
      { keys: ["."], action: "next-mark", says: "next evidence of a finding; in a tree the widest fork" },
      { keys: [","], action: "previous-mark", says: "previous evidence of a finding" },
      { keys: ["g"], action: "top", says: "top of the sample" },
      { keys: ["G"], action: "bottom", says: "bottom of the sample" },
      { keys: ["s"], action: "raw", says: "raw text, and back" },
      { keys: ["e"], action: "fold", says: "fold or unfold all sections" },
      { keys: ["c"], action: "side", says: "compare the group side by side" },
      { keys: ["d"], action: "diff", says: "take this sample as A, then another as B: their diff" },
      { keys: ["t"], action: "tree", says: "the group as a tree of what its responses share, and back" },
      { keys: ["v"], action: "scatter", says: "the list as a scatter of two fields" },
    ],
  },
  {
    title: "Find",
    keys: [
      { keys: ["/", "f"], action: "find", says: "find in the sample; Enter: next match" },
      { keys: ["Escape"], action: "clear", says: "clear the search" },
      { keys: ["i"], action: "filter", says: "filter the list" },
      { keys: ["Ctrl+k"], action: "search", says: "search all rollouts" },
      { keys: [">"], action: "next-hit", says: "next sample with a hit of the search" },
      { keys: ["<"], action: "previous-hit", says: "previous sample with a hit of the search" },
    ],
  },
  {
    title: "Page",
    keys: [
      { keys: ["b"], action: "list-pane", says: "show or hide the list" },
      { keys: ["m"], action: "metrics-pane", says: "show or hide the metrics" },
      { keys: ["?"], action: "help", says: "this help" },
    ],
  },
];

/** On Insights, and in the tree of a group, some keys mean the like of it; the views handle them, and say them below. */
export const INSIGHT_KEYS: readonly { keys: readonly string[]; says: string }[] = [
  { keys: ["1", "…", "7"], says: "Findings to Diff: the tabs in their order" },
  { keys: ["n", "p"], says: "next, previous finding, phrase or prompt" },
  { keys: ["]", "["], says: "next, previous evidence of a finding" },
  { keys: ["Enter"], says: "open what has the focus" },
  { keys: ["o"], says: "open all samples of the finding or phrase" },
  { keys: ["i"], says: "filter of the finding, or of A" },
  { keys: ["x"], says: "swap A and B" },
  { keys: [".", ","], says: "next, previous difference" },
  { keys: ["Space"], says: "pick a sample of a tree; a corner of a scatter's box" },
  { keys: ["d"], says: "take a prompt's sample for a diff" },
];

const ACTIONS = new Map(KEYS.flatMap(({ keys }) => keys.flatMap((key) => key.keys.map((name) => [name, key.action]))));

interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** What a key press asks for. Combinations that belong to the browser are left to it. */
export function actionFor({ key, ctrlKey, metaKey, altKey }: Press): Action | null {
  if (altKey) return null;
  const name = ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key;
  return (ACTIONS.get(name) as Action | undefined) ?? null;
}

const NAMES: Record<string, string> = { ArrowRight: "→", ArrowLeft: "←", Escape: "Esc", "Ctrl+k": "Ctrl K" };

/** A key as it is printed on a keyboard. */
export function keyName(key: string): string {
  return NAMES[key] ?? key;
}
