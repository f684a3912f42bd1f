import { useEffect, useRef, useState } from "react";
import { formatCount } from "../../lib/numbers";
import { go } from "../../state/view";
import { Button } from "../../ui/Button";
import styles from "./FindBar.module.css";
import { MOST_MATCHES } from "./findText";

interface FindBarProps {
  text: string;
  onText: (text: string) => void;
  /** How many there are, and which one is in view (0-based). */
  count: number;
  at: number;
  onMove: (by: 1 | -1) => void;
  onClose: () => void;
  /** Shown when nothing was found and the raw text may still have it. */
  offerRaw: boolean;
}

export function FindBar({ text, onText, count, at, onMove, onClose, offerRaw }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  // Who comes from a search reads on with the keys; who asked for the bar wants to type.
  // biome-ignore lint/correctness/useExhaustiveDependencies: how it was opened, not what was typed since.
  useEffect(() => {
    if (text === "") input.current?.focus();
  }, []);
  return (
    <search className={styles.bar} data-find="off">
      <input
        ref={input}
        aria-label="Find in the sample"
        placeholder="Find in this sample"
        value={typed}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.target.value);
          onText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") onMove(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onClose();
        }}
      />
      <span className={styles.count} role="status">
        {text &&
          (count ? `${formatCount(at + 1)} of ${formatCount(count)}${count >= MOST_MATCHES ? "+" : ""}` : "not found")}
      </span>
      {text && !count && offerRaw && <Button onClick={() => go({ raw: true, find: text })}>Look in raw text</Button>}
      <Button
        quiet
        icon="arrow-up"
        aria-label="Previous match (Shift+Enter)"
        disabled={!count}
        onClick={() => onMove(-1)}
      />
      <Button quiet icon="arrow-down" aria-label="Next match (Enter)" disabled={!count} onClick={() => onMove(1)} />
      <Button
        quiet
        icon="search"
        aria-label="Search all rollouts for this"
        onClick={() => go({ page: "search", other: { q: text } })}
      />
      <Button quiet icon="close" aria-label="Close (Esc)" onClick={onClose} />
    </search>
  );
}
