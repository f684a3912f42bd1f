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
