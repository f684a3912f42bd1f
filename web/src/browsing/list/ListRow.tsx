/** The two kinds of row in the list: a group with its dots, a sample with its figures. */

import { memo } from "react";
import { fieldName, fieldNamed } from "../../api/fields";
import type { GroupRow, SampleRow } from "../../api/types";
import { cutInMiddle } from "../../lib/distinctNames";
import { formatCell, formatShort, formatValue, withSign } from "../../lib/numbers";
import { colourOf, type Scale } from "../../reading/outcome/colourScale";
import { badgesOf, reasonText } from "../../reading/outcome/discardReasons";
import { Badge } from "../../ui/Badge";
import { Icon } from "../../ui/Icon";
import { Dots } from "../dots/Dots";
import type { DotLayout } from "../dots/dotLayout";
import { isTokenCount, numberIn } from "./fieldValues";
import styles from "./ListRow.module.css";
import type { ListMark } from "./useListMarks";

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
  /** In a list over many steps the row also says which step it is of. */
  withStep?: boolean;
  mark?: ListMark | null;
}

export const GroupItem = memo(function GroupItem(props: GroupItemProps) {
  const { row, open, columns, current, withStep = false, mark = null } = props;
  const badges = badgesOf(row, columns.isTraining);
  return (
    <>
      <span className={styles.fold} data-open={open || undefined}>
        <Icon name="chevron-right" size={10} />
      </span>
      <span className={styles.prompt}>
        {withStep && <span className={styles.step}>step {row.step}</span>}
        <span className={styles.id} title={row.group === null ? undefined : `group ${row.group}`}>
          {row.group === null ? "no group" : groupText(row.group)}
        </span>
        {mark && <RowMark mark={mark} />}
        {badges.map((badge) => (
          <Badge key={badge} tone="warn" title={badge}>
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
  columns: Columns;
  /** In a list without groups the row also says which group it is of, over many steps also which step. */
  withGroup?: boolean;
  withStep?: boolean;
  mark?: ListMark | undefined;
}

/** A finding means this sample. */
function RowMark({ mark: { severity, says } }: { mark: ListMark }) {
  return (
    <span className={styles.mark} data-severity={severity} role="img" aria-label={`finding: ${says}`} title={says}>
      ◆
    </span>
  );
}

export const SampleItem = memo(function SampleItem(props: SampleItemProps) {
  const { index, row, columns, withGroup = false, withStep = false, mark } = props;
  return (
    <>
      {withStep && <span className={styles.ofStep}>{row?.step}</span>}
      <span className={styles.nth} title={`sample ${index}`}>
        {index}
      </span>
      <span className={styles.start}>
        {mark && <RowMark mark={mark} />}
        {withGroup && row?.group != null && (
          <span className={styles.id} title={`group ${row.group}`}>
            {/^\d+$/.test(String(row.group)) ? `g${row.group}` : groupText(row.group)}
          </span>
        )}
        {withGroup && row?.discard_reason && <Badge tone="warn">{reasonText(row.discard_reason)}</Badge>}
        {row?.status && row.status !== "completed" && (
          <Badge tone={row.status === "pending" ? "plain" : "bad"}>{row.status}</Badge>
        )}
        {row ? (row.response_start ?? "") : <span className={styles.ghost} />}
      </span>
      <span className={styles.columns}>
        {row && columns.fields.map((field) => <Figure key={field} row={row} field={field} columns={columns} />)}
      </span>
    </>
  );
});

/** Of a group's name, which may be a UUID, as much as leaves room for its prompt. A number is whole. */
const NAME_ROOM = 12;
const groupText = (group: string | number): string =>
  /^\d+$/.test(String(group)) ? String(group) : cutInMiddle(String(group), NAME_ROOM);

/** In the few characters of a column; what is good above zero has its sign beside its colour. */
function cellText(row: SampleRow, field: string): string {
  const odd = row.nonfinite[field];
  if (odd !== undefined) return formatCell(Number(odd));
  const value = numberIn(row, field);
  if (isTokenCount(field)) return formatShort(value);
  return fieldNamed(field)?.kind === "signed" ? withSign(value, formatCell(value)) : formatCell(value);
}

/** A sample's value, under its column's name and its group's dots. */
function Figure({ row, field, columns }: { row: SampleRow; field: string; columns: Columns }) {
  const value = numberIn(row, field);
  const odd = row.nonfinite[field];
  const isCount = isTokenCount(field);
  return (
    <span
      className={field === columns.primary ? styles.outcome : styles.figure}
      style={{
        width: columns.layout.width,
        ...(isCount ? {} : { color: colourOf(columns.scaleOf(field, row.env), value, "ink") }),
      }}
      title={`${fieldName(field)} ${odd ?? formatValue(value)}`}
    >
      {cellText(row, field)}
    </span>
  );
}
