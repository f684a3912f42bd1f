import type { SplitInfo } from "../api/types";
import { formatCount } from "../lib/numbers";
import styles from "./SplitSwitch.module.css";

interface SplitSwitchProps {
  splits: readonly SplitInfo[];
  split: string | null;
  onSplit: (split: string) => void;
}

/** train | eval, when there is more than one. Many eval sets become a list to choose from. */
export function SplitSwitch({ splits, split, onSplit }: SplitSwitchProps) {
  if (splits.length < 2) return null;
  if (splits.length > 4) {
    return (
      <div className={styles.switch}>
        <select aria-label="Split" value={split ?? ""} onChange={(event) => onSplit(event.target.value)}>
          {splits.map((each) => (
            <option key={each.split} value={each.split}>
              {each.split} · {formatCount(each.samples)} samples
            </option>
          ))}
        </select>
      </div>
    );
  }
  return (
    <div className={styles.switch} role="radiogroup" aria-label="Split">
      {splits.map((each) => (
        <label key={each.split} title={`${formatCount(each.samples)} samples in ${formatCount(each.steps)} steps`}>
          <input
            type="radio"
            name="split"
            className="visually-hidden"
            checked={each.split === split}
            onChange={() => onSplit(each.split)}
          />
          {each.split}
        </label>
      ))}
    </div>
  );
}
