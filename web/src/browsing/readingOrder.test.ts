import { describe, expect, it } from "vitest";
import { findPlace, nearestStep, stepTarget, target } from "./readingOrder";

const order = [
  { key: "a", step: 5, samples: [3, 1] },
  { key: "b", step: 5, samples: [7] },
  { key: "a", step: 6, samples: [0, 3] },
];
const at = (sample: number, step = 5) => ({ step, sample });

describe("moving through samples", () => {
  it("follows the list's order, over group borders", () => {
    expect(target(order, findPlace(order, at(3)), "next-sample")).toEqual(at(1));
    expect(target(order, findPlace(order, at(1)), "next-sample")).toEqual(at(7));
    expect(target(order, findPlace(order, at(7)), "previous-sample")).toEqual(at(1));
    expect(target(order, findPlace(order, at(7)), "next-sample")).toEqual(at(0, 6));
  });

  it("stops at both ends", () => {
    expect(target(order, findPlace(order, at(3, 6)), "next-sample")).toBeNull();
    expect(target(order, findPlace(order, at(3)), "previous-sample")).toBeNull();
  });

  it("goes to the first sample of the next or previous group", () => {
    expect(target(order, findPlace(order, at(1)), "next-group")).toEqual(at(7));
    expect(target(order, findPlace(order, at(3, 6)), "previous-group")).toEqual(at(7));
    expect(target(order, findPlace(order, at(0, 6)), "next-group")).toBeNull();
  });

  it("begins at the first sample when none is open", () => {
    expect(target(order, null, "next-sample")).toEqual(at(3));
    expect(target(order, null, "previous-sample")).toBeNull();
  });

  it("knows when a sample is not in the list (a filter hides it)", () => {
    expect(findPlace(order, at(99))).toBeNull();
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
