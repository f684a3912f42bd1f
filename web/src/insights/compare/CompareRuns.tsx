/** Two runs over the prompts both have: by how much, how sure, and which prompts changed. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRuns } from "../../api/hooks";
import { compareRunsQuery } from "../../api/insights";
import type { RunComparison, RunInfo } from "../../api/types";
import { formatCount, formatReward, formatSigned, formatValue, plural } from "../../lib/numbers";
import { usePageParam, useView } from "../../state/view";
import { MiddleCut } from "../../ui/MiddleCut";
import { Empty, Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { InnerLink } from "../parts/InnerLink";
import { SideMark } from "../parts/SideMark";
import { CompareForm } from "./CompareForm";
import styles from "./CompareRuns.module.css";
import { IntervalLine } from "./IntervalLine";
import { PromptTable } from "./PromptTable";
import { RunsBeside } from "./RunsBeside";

/** So many runs stand where the answer will be. */
const OFFERED = 12;
const MOST_OF_A_NAME = 40;

/** Worst news first, as the bar shows them. */
const CLASSES = ["broken", "neither", "mixed", "both", "fixed"] as const;

export function CompareRuns({ run }: { run: RunInfo }) {
  const { other, split, where, compare } = useView();
  const { data: runs } = useRuns();
  const others = (runs ?? []).filter(({ id }) => id !== run.id);
  const asked = others.find(({ id }) => id === (other.against ?? compare[0]));
  const chosen = asked ?? (others.length === 1 ? others[0] : null) ?? null;
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
      <CompareForm key={where} run={run} runs={runs ?? []} chosen={chosen} />
      {chosen === null ? (
        <Empty icon="side" title="Which run should it be compared with?">
          <p>Prompts are matched by their text; rewards are compared prompt by prompt.</p>
          <ul className={styles.offers}>
            {others.slice(0, OFFERED).map(({ id, name }) => (
              <li key={id}>
                <InnerLink to={{ split, where, other: { tab: "compare", against: id } }}>
                  <MiddleCut text={name} end={MOST_OF_A_NAME} />
                </InnerLink>
              </li>
            ))}
          </ul>
          {others.length > OFFERED && <p>{plural(others.length - OFFERED, "more run")} in the menu above</p>}
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
        <Figure
          title={
            <>
              <SideMark side="a" /> mean reward
            </>
          }
          value={formatReward(a_mean)}
        />
        <Figure
          title={
            <>
              <SideMark side="b" /> mean reward
            </>
          }
          value={formatReward(b_mean)}
        />
        <Figure
          title="difference"
          value={delta === null ? "–" : formatSigned(delta)}
          beside={delta !== null && ci && <IntervalLine delta={delta} ci={ci} />}
        >
          {ci ? `95% ${formatSigned(ci[0])} … ${formatSigned(ci[1])}` : "no interval below two prompts"}
        </Figure>
        <Figure title="paired permutation test" value={p === null ? "–" : `p ${formatValue(p)}`} />
      </dl>
      <div className={`${page.columns} ${styles.columns}`}>
        <div className={page.column}>
          <Classes comparison={comparison} chosen={chosen} onChoose={setChosen} />
          <PromptTable run={run} other={other} rows={shown} most={most} />
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

interface FigureProps {
  title: ReactNode;
  value: string;
  children?: ReactNode;
  /** What is drawn of it. */
  beside?: ReactNode;
}

function Figure({ title, value, children, beside }: FigureProps) {
  return (
    <div className={beside ? styles.drawn : undefined}>
      <dt>{title}</dt>
      <dd>
        {value}
        {children && <small>{children}</small>}
      </dd>
      {beside && <dd>{beside}</dd>}
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
