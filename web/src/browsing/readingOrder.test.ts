import { describe, expect, it } from "vitest";
import { findPlace, nearestStep, stepTarget, target } from "./readingOrder";

const order = [
  { key: "a", samples: [3, 1] },
  { key: "b", samples: [7] },
  { key: "c", samples: [0, 2] },
];

describe("moving through samples", () => {
  it("follows the list's order, over group borders", () => {
    expect(target(order, findPlace(order, 3), "next-sample")).toBe(1);
    expect(target(order, findPlace(order, 1), "next-sample")).toBe(7);
    expect(target(order, findPlace(order, 7), "previous-sample")).toBe(1);
  });

  it("stops at both ends", () => {
    expect(target(order, findPlace(order, 2), "next-sample")).toBeNull();
    expect(target(order, findPlace(order, 3), "previous-sample")).toBeNull();
  });

  it("goes to the first sample of the next or previous group", () => {
    expect(target(order, findPlace(order, 1), "next-group")).toBe(7);
    expect(target(order, findPlace(order, 2), "previous-group")).toBe(7);
    expect(target(order, findPlace(order, 0), "next-group")).toBeNull();
  });

  it("begins at the first sample when none is open", () => {
    expect(target(order, null, "next-sample")).toBe(3);
    expect(target(order, null, "previous-sample")).toBeNull();
  });

  it("knows when a sample is not in the list (a filter hides it)", () => {
    expect(findPlace(order, 99)).toBeNull();
  });
});

describe("moving through steps", () => {
  const steps = [0, 10, 20, 40];

  it("jumps over gaps", () => {
    expect(stepTarget(steps, 20, "next-step")).toBe(40);
    expect(stepTarget(steps, 20, "previous-step")).toBe(10);
    expect(stepTarget(steps, 40, "next-step")).toBeNull();
  });

  it("finds its way from a step that is not there", () => {
    expect(stepTarget(steps, 15, "next-step")).toBe(20);
    expect(stepTarget(steps, 15, "previous-step")).toBe(10);
  });

  it("knows first, last and nearest", () => {
    expect(stepTarget(steps, 20, "first-step")).toBe(0);
    expect(stepTarget(steps, 20, "last-step")).toBe(40);
    expect(nearestStep(steps, 33)).toBe(40);
    expect(nearestStep([], 3)).toBeNull();
  });
});
