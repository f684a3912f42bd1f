/** Of the kinds looked for, those that neither found something nor could not be known. */
export function notFound(
  kinds: readonly string[],
  found: readonly { kind: string }[],
  unknown: readonly { kind: string }[],
): string[] {
  const told = new Set([...found, ...unknown].map(({ kind }) => kind.split(":")[0]));
  return kinds.filter((kind) => !told.has(kind));
}

/** What a run of these splits says nothing about. A kind that could not be checked in some splits only was looked for in the others. */
export function unknownIn(
  unknown: readonly { kind: string; split: string; reason: string }[],
  splits: readonly string[],
): Map<string, { everywhere: boolean; says: string }> {
  const answers = new Map<string, { everywhere: boolean; says: string }>();
  for (const kind of new Set(unknown.map((each) => each.kind))) {
    const its = unknown.filter((each) => each.kind === kind);
    const everywhere = splits.every((split) => its.some((each) => each.split === split));
    const reasons = [...new Set(its.map(({ reason }) => reason))];
    const where = (reason: string): string =>
      its.flatMap((each) => (each.reason === reason ? [each.split] : [])).join(", ");
    const says =
      everywhere && reasons.length === 1
        ? `could not check: ${reasons[0]}`
        : `${everywhere ? "" : "none; "}could not check ${reasons.map((reason) => `in ${where(reason)}: ${reason}`).join("; ")}`;
    answers.set(kind, { everywhere, says });
  }
  return answers;
}
