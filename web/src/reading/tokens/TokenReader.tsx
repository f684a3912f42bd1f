import { useQuery } from "@tanstack/react-query";
import { type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { tokensQuery } from "../../api/hooks";
import type { SampleTokens } from "../../api/types";
import { formatCount, formatValue } from "../../lib/numbers";
import { useKeys } from "../../state/useKeys";
import { Button } from "../../ui/Button";
import { Failure, Skeleton } from "../../ui/States";
import { ScrollBox } from "../text/ScrollBox";
import { clearShades, markToken, paintShades, tokensInView } from "./paintTokens";
import { TokenCurve } from "./TokenCurve";
import styles from "./TokensView.module.css";
import {
  availableColumns,
  linesOf,
  nextPlace,
  type TokenColumn,
  tokenAt,
  tokenStarts,
  tokenText,
} from "./tokenColumns";

export function TokenReader({ run, address }: { run: string; address: string }) {
  const { data, error } = useQuery(tokensQuery(run, address));
  if (error) return <Failure error={error} />;
  return data ? <Tokens tokens={data} /> : <Skeleton lines={4} />;
}

/** One text of all tokens, coloured by one column: 32,000 of them are as quick as one. */
function Tokens({ tokens }: { tokens: SampleTokens }) {
  const columns = availableColumns(tokens);
  const [wanted, setWanted] = useState<TokenColumn | null>(null);
  const column = columns.find(({ key }) => key === wanted) ?? columns[0];
  const texts = useMemo(() => Array.from({ length: tokens.count }, (_, at) => tokenText(tokens, at)), [tokens]);
  const starts = useMemo(() => tokenStarts(texts), [texts]);
  const [at, setAt] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);

  const whole = useMemo(() => texts.join(""), [texts]);
  useLayoutEffect(() => {
    const element = box.current;
    const text = element?.firstChild;
    if (!element || !text || !column) return;
    let frame = 0;
    const paint = (): void =>
      paintShades(text, starts, column, tokens[column.key] ?? [], tokensInView(element, starts));
    const soon = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(paint);
    };
    soon();
    // Whatever scrolls around it: its own box, the sample, the window.
    window.addEventListener("scroll", soon, { capture: true, passive: true });
    window.addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("scroll", soon, { capture: true });
      window.removeEventListener("resize", soon);
      clearShades();
    };
  }, [column, starts, tokens]);
  useEffect(() => {
    const text = box.current?.firstChild;
    if (text) markToken(text, starts, at);
  }, [at, starts]);

  const outliers = (column && tokens.outliers?.[column.key]) ?? [];
  const toOutlier = (): void => {
    const next = nextPlace(outliers, at);
    if (next === null) return;
    setAt(next);
    const text = box.current?.firstChild;
    if (text) scrollTo(text, starts[next] as number);
  };
  useKeys({ outlier: toOutlier });
  const point = (event: MouseEvent): void => {
    const offset = offsetUnder(event, box.current);
    if (offset !== null) setAt(tokenAt(starts, offset));
  };
  return (
    <>
      <div className={styles.choice} role="radiogroup" aria-label="Colour tokens by">
        {columns.map(({ key, label }) => (
          <label key={key}>
            <input type="radio" name="token-value" checked={key === column?.key} onChange={() => setWanted(key)} />
            {label}
          </label>
        ))}
        {outliers.length > 0 && (
          <Button quiet onClick={toOutlier} title="Next outlier (o)">
            {formatCount(outliers.length)} beyond {linesOf(tokens, column?.key as TokenColumn)[0]?.name ?? "the line"}
          </Button>
        )}
      </div>
      {column && (
        <TokenCurve
          label={column.label}
          values={tokens[column.key] ?? []}
          lines={linesOf(tokens, column.key)}
          at={at}
          onToken={(token) => {
            setAt(token);
            const text = box.current?.firstChild;
            if (text) scrollTo(text, starts[token] as number);
          }}
        />
      )}
      <p className={styles.under} role="status">
        {at === null ? "Point at a token for what is known of it." : describe(tokens, at)}
      </p>
      <ScrollBox of={tokens.address}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the key for the next outlier says the same without a mouse. */}
        <div ref={box} className={styles.tokens} onMouseMove={point}>
          {whole}
        </div>
      </ScrollBox>
      {tokens.notes?.map((note) => (
        <p key={note} className={styles.under}>
          {note}
        </p>
      ))}
    </>
  );
}

/** All that is known of one token, in a line. */
function describe(tokens: SampleTokens, at: number): string {
  const known = availableColumns(tokens).map(({ key, label }) => {
    const value = tokens[key]?.[at];
    return `${label} ${value === null || value === undefined ? "–" : formatValue(value)}`;
  });
  const version = tokens.versions?.[at];
  const others = (tokens.top?.[at] ?? []).slice(0, 5).map(({ token, logprob }) => {
    const chance = logprob === null || logprob === undefined ? "" : ` ${formatValue(Math.exp(logprob))}`;
    return `${JSON.stringify(token)}${chance}`;
  });
  return [
    `token ${formatCount(at)} ${JSON.stringify(tokenText(tokens, at))}`,
    ...known,
    version === undefined ? null : `policy ${version}`,
    others.length > 0 ? `instead of ${others.join(", ")}` : null,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The character of the text under the mouse. */
function offsetUnder({ clientX, clientY }: MouseEvent, box: HTMLElement | null): number | null {
  const caret = document.caretRangeFromPoint(clientX, clientY);
  return caret && caret.startContainer === box?.firstChild ? caret.startOffset : null;
}

function scrollTo(text: Node, offset: number): void {
  const range = document.createRange();
  range.setStart(text, Math.min(offset, text.textContent?.length ?? 0));
  const scroller = text.parentElement?.parentElement;
  const top = range.getBoundingClientRect().top;
  if (scroller) scroller.scrollTop += top - scroller.getBoundingClientRect().top - scroller.clientHeight / 3;
}
