import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useSetting } from "../../state/settings";
import { longTextSetting } from "./renderSettings";
import styles from "./ScrollBox.module.css";

interface ScrollBoxProps {
  /** Names what is shown: a new thing opens at its end again. */
  of: string;
  /** Opens at its start whatever the setting says: a tool's result is read from there. */
  fromStart?: boolean;
  children: ReactNode;
}

/** Text that scrolls in place when it is long, and opens at its end. It stays there while formulas and fonts arrive,
 * until the reader scrolls. */
export function ScrollBox({ of, fromStart = false, children }: ScrollBoxProps) {
  const [{ scrollInPlace, openAtEnd }] = useSetting(longTextSetting);
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` is the reason to go to the end again.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !inside.current || !scrollInPlace) return;
    let isPinned = openAtEnd && !fromStart;
    element.removeAttribute("data-held");
    const mark = (): void => {
      element.toggleAttribute("data-above", element.scrollTop > 4);
      element.toggleAttribute("data-below", element.scrollTop + element.clientHeight < element.scrollHeight - 4);
    };
    const release = (): void => {
      isPinned = false;
    };
    // The observer's first call comes after layout and before paint: asking for heights here, in the effect, would make
    // the browser lay out the sample once for each of its boxes (a third of the time to the next sample).
    let isFirst = true;
    const observer = new ResizeObserver(() => {
      if (isPinned && !element.hasAttribute("data-held")) element.scrollTop = element.scrollHeight;
      else if (isFirst && !element.hasAttribute("data-held")) element.scrollTop = 0;
      isFirst = false;
      mark();
    });
    observer.observe(inside.current);
    element.addEventListener("scroll", mark, { passive: true });
    const events = ["wheel", "pointerdown", "touchmove", "keydown"] as const;
    for (const event of events) element.addEventListener(event, release, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", mark);
      for (const event of events) element.removeEventListener(event, release);
    };
  }, [of, fromStart, scrollInPlace, openAtEnd]);

  return (
    <div
      ref={box}
      className={styles.box}
      data-scrolls={scrollInPlace || undefined}
      tabIndex={scrollInPlace ? 0 : undefined}
    >
      <div ref={inside} className={styles.inside}>
        {children}
      </div>
    </div>
  );
}
