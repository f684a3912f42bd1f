/**
 * A logtree report, made safe to show.
 *
 * A report is a tree of tags and text that a training loop wrote, with model output in it. It is never used as HTML:
 * only tags on a list become elements, of their attributes only what folding needs survives, and text stays text.
 */

export interface ReportNode {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly children: readonly (ReportNode | string)[];
  readonly data?: unknown;
}

export interface ReportData {
  readonly title: string;
  readonly started_at: string;
  readonly path: string | null;
  readonly root: ReportNode;
}

/** What may become an element. Everything else shows its children only. */
export const TAGS = new Set([
  ...["p", "div", "span", "pre", "code", "blockquote", "hr", "br"],
  ...["h1", "h2", "h3", "h4", "h5", "h6"],
  ...["ul", "ol", "li", "dl", "dt", "dd"],
  ...["table", "thead", "tbody", "tfoot", "tr", "th", "td", "caption"],
  ...["b", "strong", "i", "em", "u", "s", "small", "sub", "sup", "mark", "kbd"],
]);

/** Tags whose text is not for reading. */
export const SILENT = new Set([
  "script",
  "style",
  "head",
  "title",
  "template",
  "noscript",
  "object",
  "embed",
  "iframe",
  "svg",
]);

/** The entities an HTML writer makes of text; a report's strings are escaped already. One pass: `&amp;lt;` is `&lt;`. */
export function unescapeText(text: string): string {
  return text.replace(
    /&(lt|gt|amp|quot|apos|nbsp|#39|#x27);/gi,
    (_, name: string) => ENTITIES[name.toLowerCase()] ?? "",
  );
}

const ENTITIES: Record<string, string> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  "#39": "'",
  "#x27": "'",
};

/** A node as the server sends it, whatever the file held. */
export function childrenOf(node: ReportNode): readonly (ReportNode | string)[] {
  return Array.isArray(node.children)
    ? node.children.filter((child) => typeof child === "string" || isNode(child))
    : [];
}

function isNode(value: unknown): value is ReportNode {
  return typeof value === "object" && value !== null && typeof (value as ReportNode).tag === "string";
}

export function classOf(node: ReportNode): string {
  return node.attrs?.class ?? "";
}

/** `log_html` puts its HTML, unescaped, into a div without a class of logtree's own. */
export function holdsHtml(node: ReportNode): boolean {
  return node.tag === "div" && !/(^|\s)lt-/.test(classOf(node));
}

/** HTML as nodes, by the browser's own parser in a document that runs and loads nothing. */
export function parseHtml(html: string): (ReportNode | string)[] {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return nodesOf(body);
}

function nodesOf(element: Element): (ReportNode | string)[] {
  return [...element.childNodes].flatMap((child): (ReportNode | string)[] => {
    if (child.nodeType === 3) return [child.textContent ?? ""];
    if (child.nodeType !== 1) return [];
    const tag = (child as Element).tagName.toLowerCase();
    return SILENT.has(tag) ? [] : [{ tag, attrs: {}, children: nodesOf(child as Element) }];
  });
}

export interface ReportMessage {
  readonly role: string;
  readonly text: string;
}

/** `{"type": "conversation", "messages": […]}`: the transcript behind a formatter's HTML. */
export function conversationOf(data: unknown): ReportMessage[] | null {
  if (typeof data !== "object" || data === null) return null;
  const { type, messages } = data as { type?: unknown; messages?: unknown };
  if (type !== "conversation" || !Array.isArray(messages)) return null;
  return messages.flatMap((message: unknown): ReportMessage[] => {
    if (typeof message !== "object" || message === null) return [];
    const { role, content, tool_calls: calls } = message as Record<string, unknown>;
    const called = calls === undefined || calls === null ? [] : [JSON.stringify(calls, null, 2)];
    return [{ role: String(role ?? "?"), text: [textOf(content), ...called].filter(Boolean).join("\n\n") }];
  });
}

/** A message's content: text, or parts of which the text ones are shown and the others named. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2);
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      if (typeof part !== "object" || part === null) return JSON.stringify(part);
      const { type, text, thinking } = part as Record<string, unknown>;
      if (typeof thinking === "string") return `<think>${thinking}</think>`;
      return typeof text === "string" ? text : `[${String(type ?? "part")}]`;
    })
    .join("");
}
