import type { InputHTMLAttributes, ReactNode } from "react";
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
