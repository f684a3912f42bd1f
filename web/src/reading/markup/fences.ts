/** Fenced code blocks in a text that is not read as markdown. */

export type Block = { kind: "text"; text: string } | { kind: "code"; code: string; language: string; source: string };

/** A text as prose and ``` blocks in turn. A block that was cut before its closing fence runs to the end. */
export function splitFences(text: string): Block[] {
  if (!text.includes("```")) return text ? [{ kind: "text", text }] : [];
  const blocks: Block[] = [];
  const fence = /^([ \t]{0,3})(`{3,})([^`\n]*)\n([\s\S]*?)(?:\n?^[ \t]{0,3}\2`*[ \t]*(?:\n|$)|$(?![\s\S]))/gm;
  let from = 0;
  for (const match of text.matchAll(fence)) {
    if (match.index > from) blocks.push({ kind: "text", text: text.slice(from, match.index) });
    blocks.push({ kind: "code", code: match[4] ?? "", language: languageOf(match[3] ?? ""), source: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) blocks.push({ kind: "text", text: text.slice(from) });
  return blocks;
}

/** ```` ```python title="x" ```` → "python". */
export function languageOf(info: string): string {
  return /^[\w+#.-]+/.exec(info.trim())?.[0]?.toLowerCase() ?? "";
}
