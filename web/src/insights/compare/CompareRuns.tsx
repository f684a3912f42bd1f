/** Two runs over the prompts both have: by how much, how sure, and which prompts changed. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useRuns } from "../../api/hooks";
import { compareRunsQuery } from "../../api/insights";
import type { PromptRow, RunComparison, RunInfo } from "../../api/types";
import { formatCount, formatReward, formatSigned, formatValue } from "../../lib/numbers";
import { go, hrefFor, usePageParam, useView } from "../../state/view";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { MenuItem } from "../../ui/menus/Menu";
import { Popover } from "../../ui/menus/Popover";
import { Empty, Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { CopyCommand, options } from "../parts/CopyCommand";
import { EffectBar } from "../parts/EffectBar";
import { SideMark } from "../parts/SideMark";
import styles from "./CompareRuns.module.css";
import { RunsBeside } from "./RunsBeside";

/** Worst news first, as the bar shows them. */
const CLASSES = ["broken", "neither", "mixed", "both", "fixed"] as const;

export function CompareRuns({ run }: { run: RunInfo }) {
  const { other, split, where, compare } = useView();
  const { data: runs } = useRuns();
  const others = (runs ?? []).filter(({ id }) => id !== run.id);
  const chosen = others.find(({ id }) => id === (other.against ?? compare[0])) ?? null;
  const query = useQuery({
    ...compareRunsQuery(run.id, chosen?.id ?? "", split, where),
    enabled: chosen !== null,
  });
  if (runs && others.length === 0)
    return (
      <Empty icon="side" title="There is only one run">
        <p>
          Open a folder of runs, or several paths, to compare them: <code>rollscope runs/first runs/second</code>
        </p>
      </Empty>
    );
  return (
    <>
      <CompareForm key={where} run={run} others={others} chosen={chosen} />
      {chosen === null ? (
        <Empty icon="side" title="Which run should it be compared with?">
          <p>Prompts are matched by their text; rewards are compared prompt by prompt.</p>
        </Empty>
      ) : query.error ? (
        <Failure error={query.error} />
      ) : !query.data || query.isFetching ? (
        <Skeleton lines={8} label="Comparing" />
      ) : (
        <Answer comparison={query.data} run={run} other={chosen} />
      )}
    </>
  );
}

function CompareForm(props: { run: RunInfo; others: readonly RunInfo[]; chosen: RunInfo | null }) {
  const { run, others, chosen } = props;
  const { other, split, where } = useView();
  const [filter, setFilter] = useState(where);
  const splits = run.splits.map(({ split }) => split);
  return (
    <form
      className={page.bar}
      aria-label="Runs to compare"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        go({ where: filter.trim(), other });
      }}
    >
      <SideMark side="a" /> {run.name}
      <SideMark side="b" />
      <Popover label="The other run" button={{ children: chosen?.name ?? "choose a run", opens: true }}>
        {(close) =>
          others.map(({ id, name }) => (
            <MenuItem
              key={id}
              chosen={id === chosen?.id}
              onClick={() => {
                close();
                go({ other: { ...other, tab: "compare", against: id } });
              }}
            >
              {name}
            </MenuItem>
          ))
        }
      </Popover>
      <Popover label="Split" button={{ children: `split ${split ?? "of both"}`, opens: true }}>
        {(close) =>
          [null, ...splits].map((name) => (
            <MenuItem
              key={name ?? ""}
              chosen={name === split}
              onClick={() => {
                close();
                go({ split: name, other });
              }}
            >
              {name ?? "all that both runs have"}
            </MenuItem>
          ))
        }
      </Popover>
      <label className={page.filter}>
        <Icon name="filter" size={12} />
        <input
          placeholder="filter for both: env = &quot;math&quot;"
          aria-label="Filter of both runs"
          value={filter}
          spellCheck={false}
          onChange={(event) => setFilter(event.target.value)}
        />
      </label>
      <Button type="submit">Filter</Button>
      {chosen && (
        <span className={page.end}>
          <CopyCommand run={run.id} name="compare" words={options({ split, where })} other={chosen.id} />
        </span>
      )}
    </form>
  );
}

function Answer({ comparison, run, other }: { comparison: RunComparison; run: RunInfo; other: RunInfo }) {
  const [chosen, setChosen] = usePageParam("class");
  const { matched, only_a, only_b, a_mean, b_mean, delta, ci, p, rows, rule, method } = comparison;
  if (matched === 0)
    return (
      <Empty icon="side" title="No prompt is in both runs">
        <p>
          {formatCount(only_a)} prompts are only in {run.name}, {formatCount(only_b)} only in {other.name}.
        </p>
      </Empty>
    );
  const shown = chosen === "" ? rows : rows.filter((row) => row.class === chosen);
  const most = Math.max(0, ...rows.map((row) => Math.abs(row.delta)));
  return (
    <>
      <dl className={page.numbers}>
        <Figure title="prompts matched" value={formatCount(matched)}>
          {formatCount(only_a)} only in A, {formatCount(only_b)} only in B
        </Figure>
        <Figure title="mean reward of A" value={formatReward(a_mean)} />
        <Figure title="mean reward of B" value={formatReward(b_mean)} />
        <Figure title="difference" value={delta === null ? "–" : formatSigned(delta)}>
          {ci ? `95% ${formatSigned(ci[0])} … ${formatSigned(ci[1])}` : "no interval below two prompts"}
        </Figure>
        <Figure title="paired permutation test" value={p === null ? "–" : `p ${formatValue(p)}`} />
      </dl>
      <div className={page.columns}>
        <div className={page.column}>
          <Classes comparison={comparison} chosen={chosen} onChoose={setChosen} />
          <table className={page.table} aria-label="Prompts">
            <thead>
              <tr>
                <th>prompt, largest change first</th>
                <th data-number>A samples</th>
                <th data-number>mean</th>
                <th>change</th>
                <th data-number />
                <th data-number>mean</th>
                <th data-number>B samples</th>
                <th>class</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <Prompt key={`${row.a_example} ${row.b_example}`} row={row} most={most} other={other} />
              ))}
            </tbody>
          </table>
          <p className={page.say}>
            {rule} {method}
          </p>
        </div>
        <div className={page.column}>
          <RunsBeside a={run} b={other} />
        </div>
      </div>
    </>
  );
}

function Figure({ title, value, children }: { title: string; value: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {value}
        {children && <small>{children}</small>}
      </dd>
    </div>
  );
}

interface ClassesProps {
  comparison: RunComparison;
  chosen: string;
  onChoose: (name: string) => void;
}

/** From broken to fixed; one that is pressed lists only its prompts. */
function Classes({ comparison: { classes }, chosen, onChoose }: ClassesProps) {
  return (
    <ul className={styles.classes} aria-label="Classes of prompts">
      {CLASSES.filter((name) => classes[name]).map((name) => (
        <li key={name} data-class={name} style={{ flexGrow: classes[name] }}>
          <button type="button" aria-pressed={chosen === name} onClick={() => onChoose(chosen === name ? "" : name)}>
            {name} <b>{formatCount(classes[name])}</b>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Prompt({ row, most, other }: { row: PromptRow; most: number; other: RunInfo }) {
  const target = {
    page: "insights" as const,
    other: { tab: "diff", a: row.a_example, b: row.b_example, against: other.id },
  };
  return (
    <tr data-opens>
      <td className={styles.prompt}>
        <a
          href={hrefFor(target)}
          title="One sample of each side, word by word"
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            go(target);
          }}
        >
          {row.prompt ?? "–"}
        </a>
      </td>
      <td data-number>{formatCount(row.a_n)}</td>
      <td data-number>{formatReward(row.a_mean)}</td>
      <td style={{ minWidth: 100 }}>
        <EffectBar value={row.delta} most={most} isReward />
      </td>
      <td data-number>{formatSigned(row.delta)}</td>
      <td data-number>{formatReward(row.b_mean)}</td>
      <td data-number>{formatCount(row.b_n)}</td>
      <td className={page.faint}>{row.class}</td>
    </tr>
  );
}
