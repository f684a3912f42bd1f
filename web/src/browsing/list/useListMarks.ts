/** Which samples of a list findings mean: a small mark each, from medium severity on. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { marksQuery } from "../../api/insights";
import type { FindingMarks } from "../../api/types";
import { useViewPart } from "../../state/view";
import { useThrottled } from "../../ui/hooks/useThrottled";
import { PAGES_MS } from "./useSampleList";

export interface ListMark {
  readonly severity: "high" | "medium";
  readonly says: string;
}

type ListMarks = ReadonlyMap<string, ListMark>;

/** Marks of the samples of these steps, by "step sample". */
export function useListMarks(run: string, split: string, steps: readonly number[]): ListMarks {
  const where = useViewPart("where");
  const asked = useThrottled([...new Set(steps)].sort((a, b) => a - b).join(), PAGES_MS);
  const wanted = useMemo(() => (asked ? asked.split(",") : []), [asked]);
  const { data } = useQuery({ ...marksQuery(run, split, wanted), enabled: wanted.length > 0 });
  return useMemo(() => (data ? listMarks(data, where) : NONE), [data, where]);
}

const NONE: ListMarks = new Map();

/** A finding about steps (the mean reward jumps) means all of their samples: no help in telling one from another. */
const ABOUT_STEPS = /^step\b[^"]*$/;

/** What the filter asks for anyway is not marked: it would be every row. Nor is what is of little weight. */
export function listMarks({ findings, steps }: FindingMarks, where: string): ListMarks {
  const marks = new Map<string, ListMark>();
  for (const { step, samples, findings: found } of steps) {
    samples.forEach((sample, nth) => {
      const its = (found[nth] ?? []).flatMap((place) => findings[place] ?? []);
      const shown = its.filter(
        (finding) => finding.severity !== "low" && finding.where !== where && !ABOUT_STEPS.test(finding.where),
      );
      if (shown.length === 0) return;
      const severity = shown.some((finding) => finding.severity === "high") ? "high" : "medium";
      marks.set(markKey(step, sample), { severity, says: shown.map(({ title }) => title).join("\n") });
    });
  }
  return marks;
}

/** A closed group's: the worst of its samples. The very same object where it is one sample's, so that rows are not drawn
 * again for nothing. */
export function groupMark(marks: ListMarks, step: number, samples: readonly number[]): ListMark | null {
  const its = samples.flatMap((sample) => marks.get(markKey(step, sample)) ?? []);
  return its.find(({ severity }) => severity === "high") ?? its[0] ?? null;
}

export const markKey = (step: number, sample: number): string => `${step} ${sample}`;
