import type { SplitInfo } from "../../api/types";
import { formatCount } from "../../lib/numbers";
import styles from "./SplitSwitch.module.css";

/** Letters of all names together that the pane has room for. */
const MOST_LETTERS = 36;

interface SplitSwitchProps {
  splits: readonly SplitInfo[];
  split: string | null;
  onSplit: (split: string) => void;
}

/** train | eval, when there is more than one. Many eval sets become a list to choose from. */
export function SplitSwitch({ splits, split, onSplit }: SplitSwitchProps) {
  if (splits.length < 2) return null;
  // Names that do not fit side by side would all read "eval/…".
  const letters = splits.reduce((sum, each) => sum + each.split.length, 0);
  if (splits.length > 4 || letters > MOST_LETTERS) {
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
