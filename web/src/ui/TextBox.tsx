import type { InputHTMLAttributes, ReactNode } from "react";
import { Button } from "./Button";
import { Icon } from "./Icon";
import styles from "./TextBox.module.css";

interface TextBoxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  "aria-label": string;
  value: string;
  onType: (text: string) => void;
  /** What stands before the text: an icon, a mark. */
  before?: ReactNode;
  /** What stands behind it: a button. */
  after?: ReactNode;
}

/** A line of a form to type a filter, an address or (as `type="search"`) words into. */
export function TextBox({ onType, before, after, ...input }: TextBoxProps) {
  return (
    <label className={styles.box}>
      {before}
      <input spellCheck={false} {...input} onChange={(event) => onType(event.target.value)} />
      {after}
    </label>
  );
}

interface FilterTextBoxProps {
  label: string;
  example: string;
  value: string;
  onType: (text: string) => void;
  /** Ask without a filter, at once. */
  onClear: () => void;
}

/** The filter of a form that asks for more than a filter; the form applies it when it is sent. */
export function FilterTextBox({ label, example, value, onType, onClear }: FilterTextBoxProps) {
  return (
    <TextBox
      before={<Icon name="filter" size={12} />}
      placeholder={example}
      aria-label={label}
      value={value}
      autoComplete="off"
      onType={onType}
      after={
        value !== "" && (
          <Button
            quiet
            icon="close"
            type="button"
            aria-label="Clear the filter"
            onClick={() => {
              onType("");
              onClear();
            }}
          />
        )
      }
    />
  );
}
