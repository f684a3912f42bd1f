/** What each kind looks for, in a few words; kinds of plug-ins are known by their name only. */
export const LOOKED_FOR: Readonly<Record<string, string>> = {
  loop: "the end of an answer repeats",
  repetition: "answers repeat themselves",
  garbled: "broken characters or words that mix alphabets",
  language: "answers leave the prompt's language",
  duplicate: "nearly identical answers in a group",
  truncated: "answers are cut off",
  truncated_rewarded: "cut-off answers with a high reward",
  rewarded_wrong: "high reward without the golden answer",
  unrewarded_right: "low reward though the final answer matches the golden one",
  length: "answers get longer or shorter",
  length_reward: "length and reward correlate within groups",
  zero_variance: "groups whose rewards are all equal",
  reward_jump: "the mean reward jumps or drops",
  component: "only one component raises the reward",
  format: "unusual forms: unclosed thinking, empty answers …",
  flags: "known patterns: disabled tests, text addressed to the judge …",
  pattern: "known patterns: disabled tests, text addressed to the judge …",
  phrase: "a phrase spreads among the highest-reward answers",
  tool_loop: "the same tool call repeated",
  tool_errors: "tools return errors",
  stale: "samples from old weights",
  entropy: "very low entropy",
  mismatch: "trainer and sampler disagree",
};

/** Of the kinds looked for, those that neither found something nor could not be known. */
export function notFound(
  kinds: readonly string[],
  found: readonly { kind: string }[],
  unknown: readonly { kind: string }[],
): string[] {
  const told = new Set([...found, ...unknown].map(({ kind }) => kind.split(":")[0]));
  if (told.has("pattern")) told.add("flags");
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
