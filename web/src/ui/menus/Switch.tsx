import { useId } from "react";
import styles from "./Switch.module.css";

interface SwitchProps<T extends string> {
  /** What is chosen, for a screen reader. */
  label: string;
  choices: readonly { value: T; label: string; title?: string }[];
  chosen: T | null;
  onChoose: (value: T) => void;
}

/** A few choices side by side, of which one holds: arrow keys go from one to the next. */
export function Switch<T extends string>({ label, choices, chosen, onChoose }: SwitchProps<T>) {
  const name = useId();
  return (
    <div className={styles.switch} role="radiogroup" aria-label={label}>
      {choices.map(({ value, label: words, title }) => (
        <label key={value} title={title}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          {words}
        </label>
      ))}
    </div>
  );
}
