/** The pieces of a message, each kind in its own dress: text, thinking, tool calls and results, answers, media. */

import type { ReactNode } from "react";
import type { Part } from "../../api/types";
import { formatCount, plural } from "../../lib/numbers";
import { Badge } from "../../ui/Badge";
import { Icon } from "../../ui/Icon";
import { ansiPieces, hasAnsi } from "../markup/ansi";
import { Highlighted } from "../markup/CodeBlock";
import { prettyJson } from "../markup/prettyJson";
import { contentOf } from "../outcome/modelAnswer";
import { LongText } from "../text/LongText";
import { RICH_LIMIT, RichText } from "../text/RichText";
import type { RenderSettings } from "../text/renderSettings";
import type { Folds } from "./folds";
import styles from "./PartView.module.css";

export interface PartContext {
  run: string;
  address: string;
  render: RenderSettings;
  /** Whether a chat template's own tokens are shown. */
  markers: boolean;
  folds: Folds;
  /** Characters that are to be seen: long texts, of which only a stretch is drawn, open there. */
  target?: { readonly message: number; readonly part: number; readonly start: number } | null;
}

interface PartViewProps {
  part: Part;
  message: number;
  index: number;
  context: PartContext;
  /** The only thing its message says: a think block then opens by itself. */
  alone: boolean;
}

const TOOL_LABELS = { tool_call: "tool call", tool_result: "result", tools: "tools offered" };

/** The part between elements that say which it is: findings point at its characters. */
export function PartView(props: PartViewProps) {
  return (
    <div className={styles.part} data-part={`${props.message}-${props.index}`}>
      <PartBody {...props} />
    </div>
  );
}

function PartBody({ part, message, index, context, alone }: PartViewProps) {
  const type = part.type ?? "text";
  const body = (text: string, plain = false): ReactNode => (
    <PartText part={part} text={text} plain={plain} message={message} index={index} context={context} />
  );
  switch (type) {
    case "thinking":
      if (!context.render.think) return body(part.text ?? "", true);
      return (
        <Thinking part={part} id={`think-${message}-${index}`} folds={context.folds} alone={alone}>
          {body(contentOf(part))}
        </Thinking>
      );
    case "tool_call":
    case "tool_result":
    case "tools":
      return (
        <Block kind="tool" label={TOOL_LABELS[type]} name={part.name} cut={part.closed === false}>
          <Verbatim text={contentOf(part)} render={context.render} fallback={body(part.text ?? "", true)} part={part} />
        </Block>
      );
    case "answer":
      return (
        <Block kind="answer" label="answer" cut={part.closed === false}>
          {body(contentOf(part))}
        </Block>
      );
    case "media":
      return <Badge title={part.text ?? ""}>{`${part.name ?? "media"} · ${(part.text ?? "").slice(0, 120)}`}</Badge>;
    case "pad":
      return (
        <Badge
          title={`${part.count ?? 0} pad tokens`}
        >{`${part.name ?? (part.text ?? "").slice(0, 40)} × ${formatCount(part.count ?? 0)}`}</Badge>
      );
    case "marker":
      return context.markers ? <span className={styles.marker}>{part.text}</span> : null;
    default:
      return body(part.text ?? "");
  }
}

/** A part's text, formatted while that is quick, in segments when it is long. */
function PartText({
  part,
  text,
  plain,
  message,
  index,
  context,
}: {
  part: Part;
  text: string;
  plain: boolean;
  message: number;
  index: number;
  context: PartContext;
}) {
  const isCut = (part.chars ?? 0) > 0;
  if (isCut || text.length > RICH_LIMIT) {
    return (
      <LongText
        key={context.address}
        text={isCut ? (part.text ?? "") : text}
        chars={part.chars ?? 0}
        run={context.run}
        address={context.address}
        message={message}
        part={index}
        at={context.target?.message === message && context.target.part === index ? context.target.start : null}
      />
    );
  }
  if (plain) return <div className={styles.plain}>{text}</div>;
  return <RichText text={text} render={context.render} />;
}

function Thinking({
  part,
  id,
  folds,
  alone,
  children,
}: {
  part: Part;
  id: string;
  folds: Folds;
  alone: boolean;
  children: ReactNode;
}) {
  const content = contentOf(part);
  const isOpen = folds.isOpen(id, alone);
  const length = part.chars || content.length;
  return (
    <div className={styles.think}>
      <button type="button" aria-expanded={isOpen} onClick={() => folds.toggle(id, !isOpen)} data-find="off">
        <span className={styles.arrow} data-open={isOpen || undefined}>
          <Icon name="chevron-right" size={10} />
        </span>
        Thinking
        <small>{plural(length, "character")}</small>
        {part.closed === false && <Badge tone="warn">cut off</Badge>}
        {!isOpen && <span className={styles.preview}>{content.trim().slice(0, 200)}</span>}
      </button>
      {isOpen && <div className={styles.thought}>{children}</div>}
    </div>
  );
}

function Block({
  kind,
  label,
  name,
  cut,
  children,
}: {
  kind: "tool" | "answer";
  label: string;
  name?: string | null | undefined;
  cut: boolean;
  children: ReactNode;
}) {
  return (
    <div className={kind === "tool" ? styles.tool : styles.answer}>
      <div className={styles.label} data-find="off">
        <b>{label}</b>
        {name && <code>{name}</code>}
        {cut && <Badge tone="warn">cut off</Badge>}
      </div>
      {children}
    </div>
  );
}

interface VerbatimProps {
  text: string;
  render: RenderSettings;
  part: Part;
  fallback: ReactNode;
}

/** Tool calls and results as they are: JSON over lines and with its colours, terminal output with its own, where these
 * are on. */
function Verbatim({ text, render, part, fallback }: VerbatimProps) {
  if ((part.chars ?? 0) > 0 || text.length > RICH_LIMIT) return fallback;
  const trimmed = text.replace(/^\n+|\n+$/g, "");
  const shown = (render.json ? prettyJson(trimmed) : null) ?? trimmed;
  const isJson = /^\s*[[{]/.test(shown);
  return (
    <div className={styles.verbatim}>
      {render.ansi && hasAnsi(shown) ? (
        <AnsiText text={shown} />
      ) : render.code && isJson ? (
        <Highlighted code={shown} language="json" />
      ) : (
        shown
      )}
    </div>
  );
}

/** Untrusted: every stretch becomes a text node with a class of ours. */
function AnsiText({ text }: { text: string }) {
  return ansiPieces(text).map(({ text: words, colour, bold, faint }, key) => (
    <span
      key={key}
      className={styles.ansi}
      data-colour={colour ?? undefined}
      data-bold={bold || undefined}
      data-faint={faint || undefined}
    >
      {words}
    </span>
  ));
}
