import type { ReactNode } from "react";
import { Icon } from "../Icon";
import styles from "./Menu.module.css";

/** A row of a popover that is on or off. */
export function MenuSwitch({
  checked,
  onChange,
  children,
  hint,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
  hint?: ReactNode;
}) {
  return (
    <label className={styles.item}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span className={styles.text}>{children}</span>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
    </label>
  );
}

/** A row of a popover that does something, or is one choice of several. */
export function MenuItem({
  chosen,
  onClick,
  children,
  hint,
}: {
  chosen?: boolean;
  onClick: () => void;
  children: ReactNode;
  hint?: ReactNode;
}) {
  return (
    <button type="button" className={styles.item} aria-pressed={chosen} onClick={onClick}>
      {chosen !== undefined && <span className={styles.tick}>{chosen && <Icon name="check" size={12} />}</span>}
      <span className={styles.text}>{children}</span>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
    </button>
  );
}

export function MenuTitle({ children }: { children: ReactNode }) {
  return <h4 className={styles.title}>{children}</h4>;
}

export function MenuLine() {
  return <hr className={styles.line} />;
}
