import { createContext, createElement, type ReactNode, useContext, useState } from "react";
import type { Report as ReportAnswer, ReportNode } from "../../api/types";
import { Icon } from "../../ui/Icon";
import styles from "./Report.module.css";
import {
  childrenOf,
  classOf,
  conversationOf,
  headingText,
  holdsHtml,
  parseHtml,
  type ReportMessage,
  SILENT,
  TAGS,
  unescapeText,
} from "./reportTree";

/** Sections below this many levels start folded, and cost nothing until they are opened. */
const OPEN_LEVELS = 2;

/** How the report's writer put text into it. */
const Escaped = createContext(false);

interface ReportProps {
  readonly report: ReportAnswer;
  /** Its texts are HTML-escaped. */
  readonly escaped: boolean;
}

/** A logtree report as elements of this page. */
export function Report({ report, escaped }: ReportProps) {
  return (
    <Escaped value={escaped}>
      <Body report={report} />
    </Escaped>
  );
}

function Body({ report }: { report: ReportAnswer }) {
  return (
    <article className={styles.report}>
      <h2>{report.title}</h2>
      {report.started_at && <p className={styles.subtitle}>{report.started_at.replace("T", " ").slice(0, 19)}</p>}
      {childrenOf(report.root)
        .filter((child) => typeof child === "string" || !REPEATED.has(classOf(child)))
        .map((child, i) => (
          <Node key={i} node={child} level={0} />
        ))}
    </article>
  );
}

/** The root repeats the title and the time. */
const REPEATED = new Set(["lt-title", "lt-subtitle"]);

function Node({ node, level, html = false }: { node: ReportNode | string; level: number; html?: boolean }): ReactNode {
  if (typeof node === "string") return html ? <Html text={node} level={level} /> : <Text text={node} />;
  const conversation = conversationOf(node.data);
  if (conversation) return <Conversation messages={conversation} />;
  if (SILENT.has(node.tag)) return null;
  if (node.tag === "section") return <Section node={node} level={level} />;
  if (node.tag === "details") return <Details node={node} level={level} />;
  if (node.tag === "img") return <span className={styles.left}>[image]</span>;
  const children = childrenOf(node).map((child, i) => (
    <Node key={i} node={child} level={level} html={html || holdsHtml(node)} />
  ));
  if (!TAGS.has(node.tag)) return children;
  if (node.tag === "hr" || node.tag === "br") return createElement(node.tag);
  if (node.tag === "table") {
    return (
      <div className={styles.wide}>
        <table>{children}</table>
      </div>
    );
  }
  return createElement(node.tag, classNameOf(node), children);
}

function Text({ text }: { text: string }) {
  return useContext(Escaped) ? unescapeText(text) : text;
}

/** The browser's parser has undone its escaping. */
function Html({ text, level }: { text: string; level: number }) {
  return (
    <Escaped value={false}>
      {parseHtml(text).map((child, i) => (
        <Node key={i} node={child} level={level} />
      ))}
    </Escaped>
  );
}

/** Of the classes only logtree's caption means something to the eye. */
function classNameOf(node: ReportNode): { className: string | undefined } {
  return { className: classOf(node) === "lt-table-caption" ? styles.caption : undefined };
}

/** A heading and its body: opened and closed by the heading. */
function Section({ node, level }: { node: ReportNode; level: number }) {
  const escaped = useContext(Escaped);
  const [heading, ...body] = childrenOf(node);
  const titled = typeof heading === "object" && /^h[1-6]$/.test(heading.tag);
  return (
    <Fold title={titled ? headingText(heading, escaped) : ""} open={level < OPEN_LEVELS} level={level}>
      {(titled ? body : childrenOf(node)).map((child, i) => (
        <Node key={i} node={child} level={level + 1} />
      ))}
    </Fold>
  );
}

function Details({ node, level }: { node: ReportNode; level: number }) {
  const escaped = useContext(Escaped);
  const children = childrenOf(node);
  const summary = children.find((child): child is ReportNode => typeof child === "object" && child.tag === "summary");
  return (
    <Fold
      title={summary ? headingText(summary, escaped) : "Details"}
      open={"open" in (node.attrs ?? {})}
      level={level}
      quiet
    >
      {children
        .filter((child) => child !== summary)
        .map((child, i) => (
          <Node key={i} node={child} level={level + 1} />
        ))}
    </Fold>
  );
}

interface FoldProps {
  readonly title: string;
  readonly open: boolean;
  readonly level: number;
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

function Fold({ title, open: opened, level, quiet = false, children }: FoldProps) {
  const [open, setOpen] = useState(opened);
  return (
    <section className={styles.fold} data-quiet={quiet || undefined} data-level={Math.min(level, 3)}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "chevron-down" : "chevron-right"} size={10} />
        <span>{title || "Untitled"}</span>
      </button>
      {open && <div className={styles.body}>{children}</div>}
    </section>
  );
}

function Conversation({ messages }: { messages: readonly ReportMessage[] }) {
  return (
    <ol className={styles.conversation} aria-label="Conversation">
      {messages.map(({ role, text }, i) => (
        <li key={i} data-role={role}>
          <b>{role}</b>
          <pre>{text}</pre>
        </li>
      ))}
    </ol>
  );
}
