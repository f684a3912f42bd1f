/** Names side by side in little room, each told from the others: what all begin or end with, and long parts that all have
 * in their middle, are dropped; what is still too long is cut in the middle, since beginnings and ends are what differs. */
export function distinctNames(names: readonly string[], room: number): string[] {
  const start = names.length > 1 ? commonStart(names) : 0;
  const kept = names.map((name) => name.slice(start));
  const end = names.length > 1 ? commonEnd(kept) : 0;
  const middles = withoutCommonMiddle(end > 0 ? kept.map((name) => name.slice(0, -end)) : kept);
  return middles.map((name) => {
    const told = end > 0 ? `${name}…` : name;
    return cutInMiddle(start > 0 ? `…${told}` : told, room);
  });
}

/** How many characters all names begin with, up to the end of a word: "run-lr1" and "run-lr2" share "run-". */
function commonStart(names: readonly string[]): number {
  const [first = ""] = names;
  let shared = 0;
  while (shared < first.length && names.every((name) => name[shared] === first[shared])) shared += 1;
  // "lr1e-05" and "lr1e-06" differ in one word: the hyphen is part of a number.
  const words = first.slice(0, shared).search(/(?<!\de)[-_./ :](?:[^-_./ :]|(?<=\de)-)*$/);
  // Dropping little saves nothing, and a name that is the beginning of another must not become empty.
  return words + 1 >= 4 && names.every((name) => name.length > words + 1) ? words + 1 : 0;
}

/** How many characters all names end with, from the beginning of a word: "lr1-seed-0" and "lr2-seed-0" share "-seed-0". */
function commonEnd(names: readonly string[]): number {
  return commonStart(names.map((name) => [...name].reverse().join("")));
}

/** Fewer letters in common are not worth the dots that stand for them. */
const COMMON_MIDDLE = 8;

/** "seed1-cluster-west-a" and "seed2-cluster-west-b" share "-cluster-west-" and are "seed1…a" and "seed2…b". Only names of
 * as many words are compared. */
function withoutCommonMiddle(names: readonly string[]): string[] {
  const words = names.map((name) => name.split(/([-_./ :])/));
  const [first = []] = words;
  if (names.length < 2 || words.some(({ length }) => length !== first.length)) return [...names];
  const isShared = first.map((word, at) => words.every((each) => each[at] === word));
  const differing = isShared.flatMap((shared, at) => (shared ? [] : [at]));
  // From one word that differs to the next.
  const dropped = differing.slice(1).flatMap((to, nth) => {
    const from = (differing[nth] as number) + 1;
    return first.slice(from, to).join("").length >= COMMON_MIDDLE ? [[from, to] as const] : [];
  });
  return words.map((each) =>
    each
      .flatMap((word, at) => {
        const gap = dropped.find(([from, to]) => at >= from && at < to);
        return gap === undefined ? [word] : at === gap[0] ? ["…"] : [];
      })
      .join(""),
  );
}

export function cutInMiddle(text: string, room: number): string {
  const characters = [...text];
  if (characters.length <= room) return text;
  const end = Math.floor((room - 1) / 2);
  return `${characters.slice(0, room - 1 - end).join("")}…${characters.slice(characters.length - end).join("")}`;
}

/** Names in parts, "Held-out math · reward" and "Olympiad · reward", without the parts that all end with: what a chart is
 * of stands above it. */
export function withoutCommonEnd(names: readonly string[]): string[] {
  const parts = withoutCommonDetail(names).map((name) => name.split(SEPARATOR));
  const [first = []] = parts;
  let shared = 0;
  const isShared = (nth: number): boolean =>
    parts.every((each) => each.length > nth && each.at(-nth) === first.at(-nth));
  while (names.length > 1 && isShared(shared + 1)) shared += 1;
  return parts.map((each) => each.slice(0, each.length - shared).join(SEPARATOR));
}

const SEPARATOR = " · ";

/** "truncated, %" and "zero variance, %" are both in percent. */
function withoutCommonDetail(names: readonly string[]): readonly string[] {
  const [, detail] = /(, [^,·]+)$/.exec(names[0] ?? "") ?? [];
  if (detail === undefined || names.length < 2 || !names.every((name) => name.endsWith(detail))) return names;
  return names.map((name) => name.slice(0, -detail.length));
}

/** The end that stays whole: up to twelve characters of a name, or another number; a short one is not cut there. */
export function halves(text: string, most = 12): [string, string] {
  const characters = [...text];
  const end = characters.length <= 8 ? 0 : Math.min(most, Math.floor(characters.length / 2));
  return [characters.slice(0, characters.length - end).join(""), characters.slice(characters.length - end).join("")];
}
