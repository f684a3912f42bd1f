import type { ButtonHTMLAttributes, Ref } from "react";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon?: IconName;
  /** An arrow that says: this opens something. */
  opens?: boolean;
  /** A switch that is on. */
  on?: boolean;
  /** No frame until hovered: for buttons that stand among text. */
  quiet?: boolean;
  /** The one action of a dialog. */
  primary?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A small framed button. With an icon and no text it needs an `aria-label`, which is also its tooltip. */
export function Button({ icon, opens, on, quiet, primary, className, children, title, ...rest }: ButtonProps) {
  const bare = icon !== undefined && children === undefined;
  const classes = [styles.button, quiet && styles.quiet, primary && styles.primary, bare && styles.bare, className];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(" ")}
      aria-pressed={on}
      title={title ?? (bare ? rest["aria-label"] : undefined)}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
      {opens && <Icon name="chevron-down" size={10} />}
    </button>
  );
}
