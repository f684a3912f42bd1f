import { describe, expect, it } from "vitest";
import { binAt, clipHeat, heatColumns, ink } from "./heatMap";

const data = {
  steps: [0, 1, 2, 10],
  edges: [0, 0.5, 1],
  counts: [
    [4, 0],
    [3, 1],
    [0, 0],
    [1, 3],
  ],
};

describe("heatColumns", () => {
  it("has a column per step, as wide as the usual distance; missing steps stay empty", () => {
    const columns = heatColumns(data, 100);
    expect(columns.map(({ from, to }) => [from, to])).toEqual([
      [-0.5, 0.5],
      [0.5, 1.5],
      [1.5, 2.5],
      [9.5, 10.5],
    ]);
    expect(columns.map(({ shares }) => shares)).toEqual([
      [1, 0],
      [0.75, 0.25],
      [0, 0],
      [0.25, 0.75],
    ]);
  });

  it("pools the samples of steps that share a pixel, and drops none", () => {
    const columns = heatColumns(data, 2);
    expect(columns.map(({ shares }) => shares)).toEqual([
      [7 / 8, 1 / 8],
      [1 / 4, 3 / 4],
    ]);
  });

  it("draws a single step and nothing for nothing", () => {
    expect(heatColumns({ steps: [5], edges: [0, 1], counts: [[2]] }, 10)).toEqual([
      { from: 4.5, to: 5.5, shares: [1] },
    ]);
    expect(heatColumns({ steps: [], edges: [], counts: [] }, 10)).toEqual([]);
  });
});

describe("clipHeat", () => {
  it("ignores the first step and what lies past the max step", () => {
    expect(clipHeat(data, true, 2).steps).toEqual([1, 2]);
    expect(clipHeat(data, false, null).counts).toHaveLength(4);
  });
});

describe("ink", () => {
  it("is none for none, and grows", () => {
    expect(ink(0)).toBe(0);
    expect(ink(0.01)).toBeGreaterThan(0.1);
    expect(ink(1)).toBeCloseTo(0.9);
  });
});

describe("binAt", () => {
  it("finds the bin, the last one with its upper edge", () => {
    expect(binAt(data.edges, 0)).toBe(0);
    expect(binAt(data.edges, 0.5)).toBe(1);
    expect(binAt(data.edges, 1)).toBe(1);
    expect(binAt(data.edges, 1.1)).toBeNull();
  });
});
