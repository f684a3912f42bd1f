/** One colour per run, the same on every chart and dot: the user's choice, else by its place among the chosen runs. */

import { useCallback } from "react";
import { setting, useSetting } from "./settings";

/** Colour tokens for runs, in the order they are given out. */
export const RUN_COLOURS = Array.from({ length: 8 }, (_, index) => `--run-${index + 1}`);

const runColoursSetting = setting<Record<string, string>>("run-colours", {});

/** The token of each run in `ids` (the open run first, then the compared ones). A chosen colour wins; the others take
 * the first tokens nobody uses yet, then start over: any number of runs has a colour. */
export function assignColours(ids: readonly string[], chosen: Readonly<Record<string, string>>): Map<string, string> {
  const result = new Map<string, string>();
  for (const id of ids) {
    const colour = chosen[id];
    if (colour && RUN_COLOURS.includes(colour)) result.set(id, colour);
  }
  const used = new Set(result.values());
  const free = RUN_COLOURS.filter((colour) => !used.has(colour));
  let next = 0;
  for (const id of ids) {
    if (result.has(id)) continue;
    const colour = free[next] ?? RUN_COLOURS[next % RUN_COLOURS.length];
    result.set(id, colour as string);
    next += 1;
  }
  return result;
}

/** The colour token of every run in view (`["--run-1", …]` by id), and a way to choose one. */
export function useRunColours(ids: readonly string[]): {
  colourOf: (id: string) => string;
  choose: (id: string, token: string) => void;
} {
  const [chosen, setChosen] = useSetting(runColoursSetting);
  const colours = assignColours(ids, chosen);
  const choose = useCallback((id: string, token: string) => setChosen({ ...chosen, [id]: token }), [chosen, setChosen]);
  return { colourOf: (id) => colours.get(id) ?? "--run-8", choose };
}
