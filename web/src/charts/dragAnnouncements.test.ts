import type { Active, Over } from "@dnd-kit/core";
import { describe, expect, it } from "vitest";
import { announcementsFor } from "./dragAnnouncements";

const spots = new Map([
  ["a", { name: "loss", place: 1, total: 2, section: null }],
  ["b", { name: "kl", place: 2, total: 2, section: "Health" }],
]);
const says = announcementsFor((id) => spots.get(String(id)) ?? null);
const active = { id: "a" } as Active;
const over = (id: string) => ({ id }) as Over;

describe("what is said while a chart moves", () => {
  it("names the chart and its place", () => {
    expect(says.onDragStart({ active })).toBe("Lifted loss, 1 of 2.");
    expect(says.onDragOver({ active, over: over("b") })).toBe("loss is over place 2 of 2 in Health.");
    expect(says.onDragEnd({ active, over: over("b") })).toBe("Dropped loss at place 2 of 2 in Health.");
  });

  it("is silent over its own place, and says when nothing came of it", () => {
    expect(says.onDragOver({ active, over: over("a") })).toBeUndefined();
    expect(says.onDragCancel({ active, over: null })).toBe("loss is back where it was.");
    expect(says.onDragEnd({ active, over: null })).toBe("loss is back where it was.");
  });
});
