/** The characters that findings point at in one sample, in the order in which they are read. */

import type { SampleFinding } from "../../../api/types";

export interface Mark {
  readonly finding: SampleFinding;
  readonly span: SampleFinding["spans"][number];
}

export function marksOf(findings: readonly SampleFinding[]): Mark[] {
  const marks = findings.flatMap((finding) =>
    finding.spans.filter(({ parts }) => parts.length > 0).map((span) => ({ finding, span })),
  );
  return marks.sort((a, b) => compare(a, b));
}

function compare(a: Mark, b: Mark): number {
  const first = a.span.parts[0];
  const other = b.span.parts[0];
  if (!first || !other) return 0;
  return first.message - other.message || first.part - other.part || first.start - other.start;
}

const SEVERITIES = ["high", "medium", "low"];

/** The mark that a link names: of that kind, at that character if there is one, else of the finding that the list is
 * filtered by, else of the most serious one; null where the sample has none of that kind. */
export function markNamed(
  marks: readonly Mark[],
  { kind, start, where }: { kind: string | undefined; start?: string | undefined; where?: string },
): number | null {
  if (kind === undefined) return null;
  const ofKind = marks.flatMap(({ finding, span }, at) => (finding.kind === kind ? [{ at, finding, span }] : []));
  const rank = ({ finding, span }: (typeof ofKind)[number]): number =>
    (String(span.start) === start ? 0 : 20) + (finding.where === where ? 0 : 10) + SEVERITIES.indexOf(finding.severity);
  return ofKind.toSorted((a, b) => rank(a) - rank(b))[0]?.at ?? null;
}
