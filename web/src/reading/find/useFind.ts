/** Find inside the sample as it is drawn. The text looked for is in the URL, so a search hit links to its match. */

import { type RefObject, useCallback, useEffect, useState } from "react";
import { go, useView } from "../../state/view";
import { clearMatches, findInElement, paintMatches, scrollToMatch } from "./findText";

export interface Find {
  isOpen: boolean;
  text: string;
  count: number;
  at: number;
  open: () => void;
  close: () => void;
  setText: (text: string) => void;
  move: (by: 1 | -1) => void;
}

export function useFind(root: RefObject<Element | null>, scope: string | null): Find {
  const { find: text } = useView();
  const [isAsked, setAsked] = useState(false);
  const [ranges, setRanges] = useState<Range[]>([]);
  const [at, setAt] = useState(0);
  const isOpen = isAsked || text !== "";

  // Formatting arrives in pieces (markdown, formulas): look again when the drawn text changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another sample (`scope`) is another text to look through.
  useEffect(() => {
    const element = root.current;
    if (!element || !text) {
      setRanges([]);
      clearMatches();
      return;
    }
    let timer = 0;
    let isFirst = true;
    const look = (): void => {
      const found = findInElement(element, text);
      setRanges(found);
      if (isFirst && found[0]) {
        isFirst = false;
        setAt(0);
        scrollToMatch(found[0]);
      }
    };
    const later = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(look, 60);
    };
    later();
    const observer = new MutationObserver(later);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      window.clearTimeout(timer);
      observer.disconnect();
      clearMatches();
    };
  }, [root, text, scope]);

  useEffect(() => {
    if (ranges.length) paintMatches(ranges, ranges[Math.min(at, ranges.length - 1)]);
    else clearMatches();
  }, [ranges, at]);

  const setText = useCallback((next: string) => go({ find: next }, { replace: true }), []);
  return {
    isOpen,
    text,
    count: ranges.length,
    at: Math.min(at, Math.max(0, ranges.length - 1)),
    open: () => setAsked(true),
    close: () => {
      setAsked(false);
      setText("");
    },
    setText,
    move: (by) => {
      if (ranges.length === 0) return;
      const next = (at + by + ranges.length) % ranges.length;
      setAt(next);
      const range = ranges[next];
      if (range) scrollToMatch(range);
    },
  };
}
