/** Markdown tokens as React nodes. No HTML string exists on the way, so nothing in a text can become an element. */

import { createElement, type ReactNode, useMemo } from "react";
import { useSetting } from "../../state/settings";
import { useAfterPaint } from "../../ui/hooks/useAfterPaint";
import styles from "../text/RichText.module.css";
import { longTextSetting } from "../text/renderSettings";
import { CodeBlock } from "./CodeBlock";
import { languageOf } from "./fences";
import { MathView } from "./MathView";
import { parseMarkdown, type Token } from "./markdown";

const ELEMENTS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td em strong s hr br".split(" "),
);
/** Headings of a text are not headings of the page. */
const HEADINGS: Record<string, string> = { h1: "h4", h2: "h4", h3: "h5", h4: "h5", h5: "h6", h6: "h6" };

/** Blocks of a text that are drawn at once: more than fit the window. */
const FIRST_BLOCKS = 10;

export function MarkdownView({ text, math, code }: { text: string; math: boolean; code: boolean }) {
  const nodes = useMemo(() => build(parseMarkdown(text, { math }), { code }), [text, math, code]);
  const [{ scrollInPlace, openAtEnd }] = useSetting(longTextSetting);
  // When one goes on to another text, the end that one reads from is painted first, then the rest.
  const isWhole = useAfterPaint(text) === text || nodes.length <= FIRST_BLOCKS;
  const fromEnd = scrollInPlace && openAtEnd;
  const shown = isWhole ? nodes : fromEnd ? nodes.slice(-FIRST_BLOCKS) : nodes.slice(0, FIRST_BLOCKS);
  return <div className={styles.markdown}>{shown}</div>;
}

interface Options {
  code: boolean;
}

interface Frame {
  tag: string;
  props: Record<string, unknown>;
  children: ReactNode[];
}

function build(tokens: readonly Token[], options: Options): ReactNode[] {
  const root: Frame = { tag: "", props: {}, children: [] };
  const stack: Frame[] = [root];
  tokens.forEach((token, key) => {
    const top = stack.at(-1) ?? root;
    if (token.nesting === 1) stack.push({ tag: elementOf(token), props: { key, ...propsOf(token) }, children: [] });
    else if (token.nesting === -1) {
      const done = stack.pop();
      if (done && done !== root) (stack.at(-1) ?? root).children.push(close(done));
    } else top.children.push(leaf(token, key, options));
  });
  // Unclosed tokens do not occur; were they to, their content must still be seen.
  while (stack.length > 1) {
    const done = stack.pop() as Frame;
    (stack.at(-1) ?? root).children.push(close(done));
  }
  return root.children;
}

function elementOf({ tag, type }: Token): string {
  if (type === "link_open") return "a";
  return ELEMENTS.has(tag) ? (HEADINGS[tag] ?? tag) : "span";
}

function propsOf(token: Token): Record<string, unknown> {
  if (token.type === "link_open") return { href: token.attrGet("href") ?? "" };
  if (token.hidden) return { hidden: true };
  if (token.tag === "ol") {
    const start = Number(token.attrGet("start") ?? 1);
    return Number.isSafeInteger(start) ? { start } : {};
  }
  const align = /text-align:(left|right|center)/.exec(token.attrGet("style") ?? "")?.[1];
  return align ? { style: { textAlign: align } } : {};
}

function close({ tag, props, children }: Frame): ReactNode {
  const { key, href, hidden, ...rest } = props as { key: number; href?: string; hidden?: boolean };
  if (tag === "a") return <Link key={key} href={href ?? ""} text={children} />;
  // Paragraphs of tight lists: their text without their margins.
  if (hidden) return <span key={key}>{children}</span>;
  if (tag === "table") {
    return (
      <div key={key} className={styles.table}>
        <table>{children}</table>
      </div>
    );
  }
  return createElement(tag, { key, ...rest }, children);
}

function leaf(token: Token, key: number, options: Options): ReactNode {
  switch (token.type) {
    case "inline":
      return build(token.children ?? [], options);
    case "text":
      return token.content;
    case "softbreak":
    case "hardbreak":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    case "code_inline":
      return <code key={key}>{token.content}</code>;
    case "math_inline":
    case "math_block":
      return <MathView key={key} tex={token.content} display={token.type === "math_block"} source={token.markup} />;
    case "fence":
      if (!options.code) return <pre key={key}>{`${token.markup}${token.info}\n${token.content}${token.markup}`}</pre>;
      return <CodeBlock key={key} code={token.content.replace(/\n$/, "")} language={languageOf(token.info)} />;
    case "image":
      return <Image key={key} alt={token.content} source={token.attrGet("src") ?? ""} />;
    default:
      return <span key={key}>{token.content}</span>;
  }
}

/** A link shows where it leads; it does not lead there. A rollout is untrusted, and one click is easily made. */
function Link({ href, text }: { href: string; text: ReactNode }) {
  return (
    <span className={styles.link} title={`Not followed: ${href}`}>
      {text}
    </span>
  );
}

function Image({ alt, source }: { alt: string; source: string }) {
  return (
    <span className={styles.link} title={`Not loaded: ${source}`}>
      [image{alt && `: ${alt}`}]
    </span>
  );
}
