/** The prompts that two runs have, each with its rewards in both. */
import { useRef } from "react";
import { useRun } from "../../api/hooks";
import type { PromptRow, RunInfo } from "../../api/types";
import { formatCount, formatReward, formatSigned } from "../../lib/numbers";
import { colourOf, scaleFor } from "../../reading/outcome/colourScale";
import { useKeys } from "../../state/useKeys";
import page from "../InsightsPage.module.css";
import { EffectBar } from "../parts/EffectBar";
import { InnerLink } from "../parts/InnerLink";
import { RewardDots } from "../parts/RewardDots";
import { SideMark } from "../parts/SideMark";
import styles from "./PromptTable.module.css";

interface PromptTableProps {
  run: RunInfo;
  other: RunInfo;
  rows: readonly PromptRow[];
  /** The greatest change of all prompts: what the bars are measured by. */
  most: number;
}

export function PromptTable({ run, other, rows, most }: PromptTableProps) {
  const table = useRef<HTMLTableElement>(null);
  const step = (by: number): void => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>("tbody a") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    (links[at < 0 ? 0 : at + by] ?? links[at])?.focus();
  };
  const hasGolden = rows.some(({ golden }) => golden?.length);
  useKeys({ "next-sample": () => step(1), "previous-sample": () => step(-1) });
  return (
    <table ref={table} className={page.table} aria-label="Prompts">
      <thead>
        <tr>
          <th>prompt, largest change first</th>
          {hasGolden && <th>golden</th>}
          <th className={styles.dots}>
            <SideMark side="a" /> samples
          </th>
          <th data-number>
            <span className={styles.side}>
              <SideMark side="a" />
            </span>{" "}
            mean
          </th>
          <th colSpan={2} className={styles.change}>
            change
          </th>
          <th data-number>
            <span className={styles.side}>
              <SideMark side="b" />
            </span>{" "}
            mean
          </th>
          <th className={styles.dots}>
            <SideMark side="b" /> samples
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Prompt
            key={`${row.a_example} ${row.b_example}`}
            row={row}
            most={most}
            run={run}
            other={other}
            hasGolden={hasGolden}
          />
        ))}
      </tbody>
    </table>
  );
}

interface PromptProps {
  row: PromptRow;
  most: number;
  run: RunInfo;
  other: RunInfo;
  hasGolden: boolean;
}

function Prompt({ row, most, run, other, hasGolden }: PromptProps) {
  const ranges = useRun(run.id).data?.ranges ?? {};
  const seen = [...(row.a_rewards ?? []), ...(row.b_rewards ?? [])];
  const scale = scaleFor(
    "reward",
    row.env,
    ranges,
    seen.length ? { reward: [Math.min(...seen), Math.max(...seen)] } : {},
  );
  const mean = (value: number) => (
    <td data-number>
      <b style={{ color: colourOf(scale, value, "ink") }}>{formatReward(value)}</b>
    </td>
  );
  return (
    <tr data-opens>
      <td className={styles.prompt}>
        <span>
          <i className={styles.class} data-class={row.class} title={row.class}>
            <span className="visually-hidden">{row.class}</span>
          </i>
          <InnerLink
            to={{ page: "insights", other: { tab: "diff", a: row.a_example, b: row.b_example, against: other.id } }}
            title="One sample of each side, word by word"
          >
            {row.prompt ?? "–"}
          </InnerLink>
        </span>
      </td>
      {hasGolden && (
        <td className={styles.golden} title={row.golden?.join("\n")}>
          {row.golden?.join(", ")}
        </td>
      )}
      <Samples count={row.a_n} rewards={row.a_rewards} scale={scale} />
      {mean(row.a_mean)}
      <td className={styles.bar}>
        <EffectBar value={row.delta} most={most} isReward />
      </td>
      <td data-number>{formatSigned(row.delta)}</td>
      {mean(row.b_mean)}
      <Samples count={row.b_n} rewards={row.b_rewards} scale={scale} />
    </tr>
  );
}

interface SamplesProps {
  count: number;
  rewards: readonly number[] | null | undefined;
  scale: ReturnType<typeof scaleFor>;
}

/** Sorted by reward: the order of two runs' samples has no relation. */
function Samples({ count, rewards, scale }: SamplesProps) {
  const drawn = rewards ?? [];
  return (
    <td className={styles.dots}>
      <span
        className={styles.samples}
        title={
          drawn.length < count ? `${drawn.length} of ${formatCount(count)} rewards, evenly drawn` : "sorted by reward"
        }
      >
        <RewardDots rewards={drawn} scale={scale} />
        <small>{formatCount(count)}</small>
      </span>
    </td>
  );
}
