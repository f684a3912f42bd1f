/** The two kinds of row in the list: a group with its dots, a sample with its figures. */

import { memo } from "react";
import type { GroupRow, SampleRow } from "../api/types";
import { formatCount, formatReward, formatValue } from "../lib/numbers";
import { colourOf, type Scale } from "../lib/scale";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { Dots } from "./Dots";
import { type DotLayout, fieldName } from "./dots";
import styles from "./ListRow.module.css";
import { badgesOf, reasonText } from "./reasons";

export interface Columns {
  isTraining: boolean;
  /** The field that stands for a sample's outcome: the reward, or a metric where there is none. */
  primary: string;
  fields: readonly string[];
  layout: DotLayout;
  scaleOf: (field: string, env: string | null) => Scale;
}

interface GroupItemProps {
  row: GroupRow;
  open: boolean;
  columns: Columns;
  current: number | null;
}

export const GroupItem = memo(function GroupItem({ row, open, columns, current }: GroupItemProps) {
  const badges = badgesOf(row, columns.isTraining);
  return (
    <>
      <span className={styles.fold} data-open={open || undefined}>
        <Icon name="chevron-right" size={10} />
      </span>
      <span className={styles.prompt}>
        <span className={styles.id}>{row.group ?? "no group"}</span>
        {badges.map((badge) => (
          <Badge key={badge} tone="warn">
            {badge}
          </Badge>
        ))}
        {row.prompt_start || <span className={styles.missing}>no prompt recorded</span>}
      </span>
      <span className={styles.columns}>
        {columns.fields.map((field) => (
          <Dots
            key={field}
            field={field}
            samples={row.samples}
            values={row.values[field] ?? row.samples.map(() => null)}
            scale={columns.scaleOf(field, row.env)}
            layout={columns.layout}
            current={current}
          />
        ))}
      </span>
    </>
  );
});

interface SampleItemProps {
  index: number;
  row: SampleRow | undefined;
  /** The field whose value stands for its outcome. */
  primary: string;
  scaleOf: Columns["scaleOf"];
  /** In a list without groups the row also says which group it is of. */
  withGroup?: boolean;
}

export const SampleItem = memo(function SampleItem({
  index,
  row,
  primary,
  scaleOf,
  withGroup = false,
}: SampleItemProps) {
  const value = row ? outcomeOf(row, primary) : null;
  const odd = row?.nonfinite[primary];
  return (
    <>
      <span className={styles.nth} title={`sample ${index}`}>
        {index}
      </span>
      <span className={styles.start}>
        {withGroup && row?.group != null && (
          <span className={styles.id} title={`group ${row.group}`}>{`g${row.group}`}</span>
        )}
        {withGroup && row?.discard_reason && <Badge tone="warn">{reasonText(row.discard_reason)}</Badge>}
        {row?.status && row.status !== "completed" && (
          <Badge tone={row.status === "pending" ? "plain" : "bad"}>{row.status}</Badge>
        )}
        {row ? (row.response_start ?? "") : <span className={styles.ghost} />}
      </span>
      <span
        className={styles.reward}
        style={{ color: colourOf(scaleOf(primary, row?.env ?? null), value, "ink") }}
        title={`${fieldName(primary)} ${odd ?? formatValue(value)}`}
      >
        {odd ?? formatReward(value)}
      </span>
      <span className={styles.tokens} title="completion tokens">
        {formatCount(row?.completion_tokens ?? null)}
      </span>
    </>
  );
});

/** The value of the field that stands for the outcome. */
function outcomeOf(row: SampleRow, field: string): number | null {
  if (field.startsWith("metrics.")) return row.metrics[field.slice("metrics.".length)] ?? null;
  return row.reward;
}
