/** Names side by side in little room, each told from the others: what all begin with is dropped, and what is still too
 * long is cut in the middle, since beginnings and ends are what differs. */
export function distinctNames(names: readonly string[], room: number): string[] {
  const common = names.length > 1 ? commonStart(names) : 0;
  return names.map((name) => cutInMiddle(common > 0 ? `…${name.slice(common)}` : name, room));
}

/** How many characters all names begin with, up to the end of a word: "run-lr1" and "run-lr2" share "run-". */
function commonStart(names: readonly string[]): number {
  const [first = ""] = names;
  let shared = 0;
  while (shared < first.length && names.every((name) => name[shared] === first[shared])) shared += 1;
  const words = first.slice(0, shared).search(/[-_./ :][^-_./ :]*$/);
  // Dropping little saves nothing, and a name that is the beginning of another must not become empty.
  return words + 1 >= 4 && names.every((name) => name.length > words + 1) ? words + 1 : 0;
}

export function cutInMiddle(text: string, room: number): string {
  const characters = [...text];
  if (characters.length <= room) return text;
  const end = Math.floor((room - 1) / 2);
  return `${characters.slice(0, room - 1 - end).join("")}…${characters.slice(characters.length - end).join("")}`;
}
