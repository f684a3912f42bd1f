import type { View } from "../../state/url";
import styles from "./SplitSwitch.module.css";

/** Whether the list is that of one step, or goes over many. */
export function StepsSwitch({ across, onAcross }: { across: boolean; onAcross: (across: boolean) => void }) {
  return (
    <div className={styles.switch} role="radiogroup" aria-label="Steps in the list">
      {[false, true].map((value) => (
        <label key={String(value)}>
          <input
            type="radio"
            name="steps-in-list"
            className="visually-hidden"
            checked={across === value}
            onChange={() => onAcross(value)}
          />
          {value ? "All steps" : "One step"}
        </label>
      ))}
    </div>
  );
}

/** Over many steps one looks at samples, the newest first; in one step at groups as they were written. What is open
 * stays open, and an order that was chosen stays. */
export function acrossPatch(across: boolean, sort: string): Partial<View> {
  if (across)
    return { steps: "all", list: "samples", sort: sort === "index" || sort.endsWith("spread") ? "-step" : sort };
  return { steps: null, list: "groups", sort: /^-?step$/.test(sort) ? "index" : sort };
}
