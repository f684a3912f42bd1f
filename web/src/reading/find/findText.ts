/** Finding text, in a string and in what is drawn. */

export interface Match {
  start: number;
  end: number;
}

/** More matches than this are not counted one by one. */
export const MOST_MATCHES = 2000;

/** All places of a text in another, letters in any case, any white space for white space. */
export function findAll(haystack: string, needle: string, most = MOST_MATCHES): Match[] {
  const pattern = needlePattern(needle);
  if (!pattern) return [];
  const matches: Match[] = [];
  for (const match of haystack.matchAll(pattern)) {
    if (match[0].length === 0) continue;
    matches.push({ start: match.index, end: match.index + match[0].length });
    if (matches.length >= most) break;
  }
  return matches;
}

function needlePattern(needle: string): RegExp | null {
  const words = needle.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s*"), "gi");
}

/** The matches as ranges over the text nodes of an element, across the elements that formatting makes. */
export function findInElement(root: Element, needle: string): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    // KaTeX keeps a hidden copy for screen readers: one match would count twice.
    node.parentElement?.closest(".katex-mathml, [data-find=off]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: text.length });
    text += (node as Text).data;
  }
  let at = 0;
  return findAll(text, needle).map(({ start, end }) => {
    const range = document.createRange();
    while (at + 1 < nodes.length && (nodes[at + 1]?.start ?? 0) <= start) at += 1;
    const first = nodes[at] as { node: Text; start: number };
    let to = at;
    while (to + 1 < nodes.length && (nodes[to + 1]?.start ?? 0) < end) to += 1;
    const last = nodes[to] as { node: Text; start: number };
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, end - last.start);
    return range;
  });
}

/** Draws matches without touching the elements (CSS custom highlights); browsers without them only scroll. */
export function paintMatches(ranges: readonly Range[], current: Range | undefined): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.set("find", new Highlight(...ranges));
  if (current) CSS.highlights.set("find-current", new Highlight(current));
  else CSS.highlights.delete("find-current");
}

export function clearMatches(): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("find");
  CSS.highlights.delete("find-current");
}

/** Brings a match into view in every box that scrolls around it. */
export function scrollToMatch(range: Range): void {
  const element = range.startContainer.parentElement;
  element?.scrollIntoView({ block: "center", inline: "nearest" });
  // A long paragraph is one element: its centre may be far from the match.
  for (let box = element; box; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight || getComputedStyle(box).overflowY === "visible") continue;
    // Text that opens at its end must not go back there while formulas and fonts arrive.
    box.toggleAttribute("data-held", true);
    const frame = box.getBoundingClientRect();
    const place = range.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) box.scrollTop += place.top - frame.top - frame.height / 2;
  }
}
