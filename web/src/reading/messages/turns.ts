import type { Sample, Turn } from "../../api/types";

/** Where j and k scroll to: the top of the next or previous turn, seen from the present scroll position. */
export function nextTop(tops: readonly number[], scroll: number, by: 1 | -1): number | null {
  // A few pixels: a turn whose top is at the edge is the one being read.
  const near = 4;
  return (by === 1 ? tops.find((top) => top > scroll + near) : tops.findLast((top) => top < scroll - near)) ?? null;
}

/** The turn being read: the last that begins at or above the scroll position; null above the first. */
export function turnAt(tops: readonly { turn: number; top: number }[], scroll: number): number | null {
  return tops.findLast(({ top }) => top <= scroll + 4)?.turn ?? null;
}

/** Turns that no message speaks for: the source has their numbers, not their words. */
export function silentTurns({ messages, turns }: Sample): Turn[] {
  const spoken = new Set(messages.map(({ turn }) => turn));
  return turns.filter(({ index }) => !spoken.has(index));
}

/** Every metric and log that some turn has, in the order they appear. */
export function turnColumns(turns: readonly Turn[]): string[] {
  return [
    ...new Set(turns.flatMap(({ metrics, logs }) => [...Object.keys(metrics ?? {}), ...Object.keys(logs ?? {})])),
  ];
}
