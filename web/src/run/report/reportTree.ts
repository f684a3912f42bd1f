/**
 * A logtree report, made safe to show.
 *
 * A report is a tree of tags and text that a training loop wrote, with model output in it. It is never used as HTML:
 * only tags on a list become elements, of their attributes only what folding needs survives, and text stays text.
 */
import type { ReportNode } from "../../api/types";

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

/** The entities an HTML writer makes of text: Tinker's reports hold their strings escaped, Rollscope's as they are.
 * One pass: `&amp;lt;` is `&lt;`. */
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

/** What `log_html` wrote: Rollscope's recorder says so, Tinker's leaves it in a div without a class of logtree's own. */
export function holdsHtml(node: ReportNode): boolean {
  if (node.attrs?.["data-format"] === "html") return true;
  return node.tag === "div" && !/(^|\s)lt-/.test(classOf(node));
}

/** A tag, with quoted attributes that may hold a `>`; or a comment, or a declaration. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<!?(\/?)([a-z][a-z0-9-]*)\b(?:"[^"]*"|'[^']*'|[^'">])*>/gi;
const VOID = new Set(["br", "hr", "img", "input", "wbr", "col", "link", "meta", "source", "area", "base"]);

/** HTML as nodes, without the browser's parser: it is never a document, so nothing in it can be an element, a handler or
 * a request before it went through the list of tags. Attributes are dropped. Unclosed tags close at the end. */
export function parseHtml(html: string): (ReportNode | string)[] {
  const root = element("");
  const stack = [root];
  const top = (): ReportNode => stack.at(-1) as ReportNode;
  const say = (text: string): void => {
    if (text !== "" && !stack.some(({ tag }) => SILENT.has(tag))) top().children.push(unescapeText(text));
  };
  let end = 0;
  for (const match of html.matchAll(MARKUP)) {
    say(html.slice(end, match.index));
    end = match.index + match[0].length;
    const tag = match[2]?.toLowerCase();
    if (tag === undefined || match[0].startsWith("<!")) continue;
    if (match[1]) {
      const place = stack.findLastIndex((open) => open.tag === tag);
      if (place > 0) stack.length = place;
      continue;
    }
    const node = element(tag);
    if (!SILENT.has(tag)) top().children.push(node);
    if (!VOID.has(tag) && !match[0].endsWith("/>")) stack.push(node);
  }
  say(html.slice(end));
  return root.children;
}

function element(tag: string): ReportNode {
  return { tag, attrs: {}, children: [], data: null };
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

/** A node's text in one line. Badges side by side are words of their own: "mean 0.625" and "+0.16". */
export function headingText(node: ReportNode, escaped: boolean): string {
  let text = "";
  let wasNode = false;
  for (const child of childrenOf(node)) {
    const isElement = typeof child !== "string";
    const own = isElement ? headingText(child, escaped) : escaped ? unescapeText(child) : child;
    if (own === "") continue;
    const touches = wasNode && isElement && /\S$/.test(text) && /^\S/.test(own);
    text += touches ? ` ${own}` : own;
    wasNode = isElement;
  }
  return text;
}
