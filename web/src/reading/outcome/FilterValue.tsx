import type { CSSProperties, ReactNode } from "react";
import { conditionText, withCondition } from "../../state/conditions";
import { currentView, go } from "../../state/view";
import styles from "./FilterValue.module.css";

interface FilterValueProps {
  field: string;
  value: string | number | null | undefined;
  children: ReactNode;
  style?: CSSProperties;
}

/** A value of the sample that a click makes a condition of the list's filter. A missing one is only shown. */
export function FilterValue({ field, value, children, style }: FilterValueProps) {
  if (value === null || value === undefined || (typeof value === "number" && !Number.isFinite(value)))
    return <span style={style}>{children}</span>;
  return (
    <button
      type="button"
      className={styles.value}
      style={style}
      title={`Filter: ${conditionText(field, { equals: value })}`}
      onClick={() => go({ where: withCondition(currentView().where, field, { equals: value }) })}
    >
      {children}
    </button>
  );
}
