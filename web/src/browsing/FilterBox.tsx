import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Problem } from "../api/client";
import { Button } from "../ui/Button";
import { accept, complete, type FilterWords } from "./complete";
import styles from "./FilterBox.module.css";

interface FilterBoxProps {
  where: string;
  words: FilterWords;
  /** What the server said of the applied filter. */
  error: unknown;
  onApply: (where: string) => void;
  inputRef: React.RefObject<HTMLTextAreaElement | null>;
  /** Where there are several, which one. */
  label?: string;
}

/** The server draws a mistake with a caret under the filter; here the filter itself stands above, so only the advice is said. */
const lastLine = (hint: string): string => (hint.trimEnd().split("\n").pop() ?? "").replace(/^[\s^]+$/, "").trim();

/** The filter, in the one language of all front doors. Enter applies it; completions come while typing. It is as tall as
 * what it holds, up to five lines: a filter is read whole. */
export function FilterBox({ where, words, error, onApply, inputRef, label = "Filter" }: FilterBoxProps) {
  const id = useId();
  const [text, setText] = useState(where);
  const [caret, setCaret] = useState(0);
  const [asking, setAsking] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const wantedCaret = useRef<number | null>(null);
  useEffect(() => setText(where), [where]);
  useEffect(() => {
    if (wantedCaret.current === null) return;
    inputRef.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = null;
  });

  const completion = useMemo(() => complete(text, caret, words), [text, caret, words]);
  const options = asking ? completion.options : [];
  const problem = error instanceof Problem && error.status === 400 && where !== "" ? error : null;

  const take = (option: string): void => {
    const next = accept(text, completion, option);
    wantedCaret.current = next.caret;
    setText(next.text);
    setCaret(next.caret);
    setChosen(-1);
  };
  const apply = (value: string): void => {
    setAsking(false);
    setChosen(-1);
    onApply(value.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const option = options[chosen];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAsking(true);
      const by = event.key === "ArrowDown" ? 1 : -1;
      setChosen((at) => (options.length ? (at + by + options.length + 1) % (options.length + 1) : -1));
    } else if (event.key === "Tab" && options.length && text) {
      event.preventDefault();
      take(option ?? (options[0] as string));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (option) take(option);
      else apply(text);
    } else if (event.key === "Escape") {
      if (options.length) setAsking(false);
      else {
        setText(where);
        inputRef.current?.blur();
      }
    }
  };

  return (
    <div className={styles.box} data-text={text}>
      <textarea
        ref={inputRef}
        rows={1}
        className={styles.input}
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={options[chosen] ? `${id}-${chosen}` : undefined}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-problem` : undefined}
        placeholder="Filter: reward < 0.5 and …"
        spellCheck={false}
        autoComplete="off"
        value={text}
        data-set={where !== "" || undefined}
        onChange={(event) => {
          // Lines that are pasted: the language has none.
          setText(event.target.value.replace(/\s*\n\s*/g, " "));
          setCaret(event.target.selectionStart ?? event.target.value.length);
          setAsking(true);
          setChosen(-1);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
        // Only an empty box offers words at once: in one that holds a filter, Tab must lead on to the next control.
        onFocus={() => setAsking(text === "")}
        onBlur={() => setAsking(false)}
        onKeyDown={onKeyDown}
      />
      {text !== "" && (
        <Button quiet icon="close" className={styles.clear} aria-label="Clear the filter" onClick={() => apply("")} />
      )}
      {options.length > 0 && (
        <div id={id} role="listbox" aria-label="Completions" className={styles.options}>
          {options.map((option, at) => (
            // biome-ignore lint/a11y/useFocusableInteractive: options of the combobox above, which keeps the focus.
            <div
              key={option}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === chosen}
              onPointerDown={(event) => {
                event.preventDefault();
                take(option);
              }}
            >
              {option}
            </div>
          ))}
          <div className={styles.hint} role="presentation">
            <kbd>Tab</kbd> completes, <kbd>Enter</kbd> applies, <kbd>Esc</kbd> closes
          </div>
        </div>
      )}
      {problem && (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem.detail || problem.title}
          {lastLine(problem.hint) && `: ${lastLine(problem.hint)}`}
        </p>
      )}
    </div>
  );
}
