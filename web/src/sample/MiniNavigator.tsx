import styles from "./MiniNavigator.module.css";

interface MiniNavigatorProps {
  nth: number | null;
  total: number;
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
}

/** Previous and next sample, always at the same place under the pointer. */
export function MiniNavigator({ nth, total, onPrevious, onNext }: MiniNavigatorProps) {
  return (
    <nav className={styles.mini} aria-label="Samples">
      <button type="button" disabled={!onPrevious} onClick={() => onPrevious?.()} aria-label="Previous sample (p)">
        ‹ <kbd>p</kbd>
      </button>
      <span>{nth === null ? "–" : `${(nth + 1).toLocaleString("en-US")} / ${total.toLocaleString("en-US")}`}</span>
      <button type="button" disabled={!onNext} onClick={() => onNext?.()} aria-label="Next sample (n)">
        <kbd>n</kbd> ›
      </button>
    </nav>
  );
}
