import { describe, expect, it } from "vitest";
import type { SampleFinding } from "../../../api/types";
import { markNamed, marksOf } from "./sampleMarks";

const finding = (kind: string, ...starts: [message: number, start: number][]): SampleFinding =>
  ({
    kind,
    spans: starts.map(([message, start]) => ({
      field: "response",
      start,
      end: start + 3,
      value: "",
      parts: [{ message, part: 0, start, end: start + 3 }],
      raw: null,
    })),
  }) as unknown as SampleFinding;

describe("marks of a sample", () => {
  const marks = marksOf([finding("loop", [3, 90]), finding("phrase", [2, 40], [3, 7])]);

  it("come in the order in which they are read", () => {
    expect(marks.map(({ finding, span }) => [finding.kind, span.start])).toEqual([
      ["phrase", 40],
      ["phrase", 7],
      ["loop", 90],
    ]);
  });

  it("are named by kind and character", () => {
    expect(markNamed(marks, { kind: "phrase", start: "7" })).toBe(1);
    expect(markNamed(marks, { kind: "phrase", start: "8888" })).toBe(0);
    expect(markNamed(marks, { kind: "loop" })).toBe(2);
    expect(markNamed(marks, { kind: "garbled" })).toBeNull();
    expect(markNamed(marks, { kind: undefined, start: "7" })).toBeNull();
  });

  it("are those of the filter, else the most serious", () => {
    const low = { ...finding("phrase", [2, 4]), severity: "low" as const, where: "a" };
    const high = { ...finding("phrase", [2, 40]), severity: "high" as const, where: "b" };
    expect(markNamed(marksOf([low, high]), { kind: "phrase" })).toBe(1);
    expect(markNamed(marksOf([low, high]), { kind: "phrase", where: "a" })).toBe(0);
  });
});
