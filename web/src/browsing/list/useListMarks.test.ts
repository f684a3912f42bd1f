// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { FindingMarks } from "../../api/types";
import { listMarks, markKey } from "./useListMarks";

const finding = (kind: string, severity: "high" | "medium" | "low") => ({
  split: "train",
  kind,
  title: kind,
  severity,
  where: `${kind} > 0`,
});

const answer: FindingMarks = {
  ready: true,
  samples_done: 9,
  samples_total: 9,
  findings: [finding("phrase", "high"), finding("loop", "medium"), finding("format", "low")],
  steps: [{ step: 3, samples: [0, 2, 5], findings: [[0, 1], [1], [2]] }],
};

describe("marks in lists", () => {
  it("say the worst and name all, but for what is of little weight", () => {
    const marks = listMarks(answer, "");
    expect(marks.get(markKey(3, 0))).toEqual({ severity: "high", says: "phrase\nloop" });
    expect(marks.get(markKey(3, 2))).toEqual({ severity: "medium", says: "loop" });
    expect(marks.has(markKey(3, 5))).toBe(false);
  });

  it("leave out what is about whole steps", () => {
    const jump = { ...finding("reward_jump", "medium"), where: "step >= 5" };
    expect(listMarks({ ...answer, findings: [jump, jump, jump] }, "").size).toBe(0);
  });

  it("leave out what the filter asks for", () => {
    const marks = listMarks(answer, "loop > 0");
    expect(marks.get(markKey(3, 0))).toEqual({ severity: "high", says: "phrase" });
    expect(marks.has(markKey(3, 2))).toBe(false);
  });
});
