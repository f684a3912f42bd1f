/** What a screen reader says while a chart is moved. */
import type { Announcements, ScreenReaderInstructions, UniqueIdentifier } from "@dnd-kit/core";

export interface Spot {
  readonly name: string;
  /** 1-based. */
  readonly place: number;
  readonly total: number;
  readonly section: string | null;
}

export const INSTRUCTIONS: ScreenReaderInstructions = {
  draggable: "Press space to lift the chart, the arrow keys to move it, space to drop it, escape to put it back.",
};

export function announcementsFor(spotOf: (id: UniqueIdentifier) => Spot | null): Announcements {
  const where = (id: UniqueIdentifier | undefined): string => {
    const spot = id === undefined ? null : spotOf(id);
    if (!spot) return "";
    return `${spot.place} of ${spot.total}${spot.section === null ? "" : ` in ${spot.section}`}`;
  };
  const name = (id: UniqueIdentifier): string => spotOf(id)?.name ?? "chart";
  return {
    onDragStart: ({ active }) => `Lifted ${name(active.id)}, ${where(active.id)}.`,
    // A lifted chart is over itself at first; that would talk over the news that it was lifted.
    onDragOver: ({ active, over }) =>
      over && over.id !== active.id ? `${name(active.id)} is over place ${where(over.id)}.` : undefined,
    onDragEnd: ({ active, over }) =>
      over ? `Dropped ${name(active.id)} at place ${where(over.id)}.` : `${name(active.id)} is back where it was.`,
    onDragCancel: ({ active }) => `${name(active.id)} is back where it was.`,
  };
}
