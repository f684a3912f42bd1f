import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCell,
  formatPercent,
  formatReward,
  formatSeconds,
  formatShort,
  formatSigned,
  formatValue,
  plural,
} from "./numbers";

describe("formatShort", () => {
  it("keeps to a narrow column", () => {
    expect([null, 0, 9_999, 12_345, 999_999, 1_250_000, 31_000_000].map(formatShort)).toEqual([
      "–",
      "0",
      "9,999",
      "12k",
      "1.0M",
      "1.3M",
      "31M",
    ]);
  });
});

describe("formatCell", () => {
  it("has at most six characters", () => {
    const values = [
      null,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      0.5,
      -0.048,
      -123.456,
      1234.5,
      -98_765,
      1.25e30,
      -1.96e30,
      0.000_32,
      -3.2e-7,
    ];
    expect(values.map(formatCell)).toEqual([
      "–",
      "NaN",
      "−∞",
      "0.50",
      "−0.048",
      "−123.5",
      "1,235",
      "−99k",
      "1.2e30",
      "−2e30",
      "3.2e−4",
      "−3e−7",
    ]);
  });
});

describe("shares", () => {
  it("are percents that are never 0 where something is, nor 100 where something is missing", () => {
    expect([null, 0, 0.0001, 0.003, 0.079, 0.327, 0.994, 0.9999, 1].map(formatPercent)).toEqual([
      "–",
      "0%",
      "< 0.1%",
      "0.3%",
      "7.9%",
      "33%",
      "99%",
      "> 99%",
      "100%",
    ]);
  });
});

describe("numbers", () => {
  it("show a missing value as missing, never as 0", () => {
    expect([formatValue(null), formatReward(undefined), formatSigned(null)]).toEqual(["–", "–", "–"]);
  });

  it("take as many figures as they need", () => {
    expect([1887, 0.8, 12.3456, 0.00032, 3.2e-7, -1e20, 1234.5].map(formatValue)).toEqual([
      "1,887",
      "0.8",
      "12.35",
      "0.00032",
      "3.20e−7",
      "−1.00e20",
      "1,235",
    ]);
  });

  it("give rewards two decimals, and a third where two would hide it", () => {
    expect([0, 1, 0.25, -0.5, 0.004, 2500].map(formatReward)).toEqual([
      "0.00",
      "1.00",
      "0.25",
      "−0.50",
      "0.004",
      "2,500",
    ]);
  });

  it("put a sign before what has one", () => {
    expect([1.62, -0.54, 0, -0].map(formatSigned)).toEqual(["+1.62", "−0.54", "0.00", "0.00"]);
  });

  it("count", () => {
    expect([plural(1, "sample"), plural(1024, "sample")]).toEqual(["1 sample", "1,024 samples"]);
  });

  it("say sizes and times shortly", () => {
    expect([formatBytes(512), formatBytes(14_200), formatBytes(1_240_000)]).toEqual(["512 B", "14 KB", "1.2 MB"]);
    expect([0.041, 3.14, 45, 240, 9000].map(formatSeconds)).toEqual(["41 ms", "3.1 s", "45 s", "4 min", "2.5 h"]);
  });
});
