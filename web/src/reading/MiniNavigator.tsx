import { Icon } from "../ui/Icon";
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
      <button type="button" disabled={!onPrevious} onClick={() => onPrevious?.()}>
        <Icon name="chevron-left" size={10} />
        <kbd>p</kbd>
        <span className="visually-hidden">previous sample</span>
      </button>
      <span className={styles.place}>
        {nth === null ? "–" : `${(nth + 1).toLocaleString("en-US")} / ${total.toLocaleString("en-US")}`}
      </span>
      <button type="button" disabled={!onNext} onClick={() => onNext?.()}>
        <kbd>n</kbd>
        <span className="visually-hidden">next sample</span>
        <Icon name="chevron-right" size={10} />
      </button>
    </nav>
  );
}
