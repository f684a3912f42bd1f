/** What is worth reading: each finding with its rate over the steps, what it is paid, and evidence to open. */
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { featuresQuery, findingsQuery } from "../../api/insights";
import type { Finding, FindingsReport, RunInfo } from "../../api/types";
import { formatCount, formatPercent, formatReward, plural } from "../../lib/numbers";
import { qualityColour } from "../../reading/outcome/colourScale";
import { useKeys } from "../../state/useKeys";
import { go, useView } from "../../state/view";
import { SeverityMark } from "../../ui/SeverityMark";
import { Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { CopyCommand, options } from "../parts/CopyCommand";
import { FindingDetail } from "./FindingDetail";
import styles from "./FindingsView.module.css";
import { notFound } from "./findingKinds";
import { NothingFound } from "./NothingFound";
import { RateCurve } from "./RateCurve";

const SEVERITIES = [
  { name: "high", says: "higher reward than the others" },
  { name: "medium", says: "costs the run, or is not rewarded" },
  { name: "low", says: "seldom, or slowly" },
] as const;

export function FindingsView({ run }: { run: RunInfo }) {
  const { data, error, isPending, refetch } = useQuery(findingsQuery(run.id));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (isPending || !data) return <Looking run={run.id} />;
  return <Answer answer={data} run={run} />;
}

/** How far the texts are read, while one waits. */
function Looking({ run }: { run: string }) {
  const { data } = useQuery(featuresQuery(run));
  const share = data && data.samples_total > 0 ? data.samples_done / data.samples_total : null;
  return (
    <div className={page.reading}>
      <p className={page.say} role="status">
        {share === 1
          ? "All texts are read. Looking for findings…"
          : data && share !== null
            ? `Reading the texts: ${formatCount(data.samples_done)} of ${formatCount(data.samples_total)} samples. This is done once.`
            : "Looking for findings. The first time, all texts are read."}
      </p>
      {share !== null && <progress className={styles.progress} value={share} max={1} aria-label="Texts read" />}
      <Skeleton lines={8} label="Looking" />
    </div>
  );
}

const idOf = ({ kind, split, where }: Finding): string => `${split} ${kind} ${where}`;

function Answer({ answer, run }: { answer: FindingsReport; run: RunInfo }) {
  const { other, split } = useView();
  const findings = split === null ? answer.findings : answer.findings.filter((finding) => finding.split === split);
  const chosen = findings.find((finding) => idOf(finding) === other.finding) ?? findings[0];
  const list = useRef<HTMLDivElement>(null);
  const choose = (finding: Finding, replace = false) =>
    go({ where: "", other: { tab: "findings", finding: idOf(finding) } }, { replace });
  const step = (by: number, focus = false): void => {
    const next = findings[findings.indexOf(chosen as Finding) + by];
    if (!next) return;
    choose(next, true);
    const row = list.current?.querySelectorAll<HTMLElement>("button")[findings.indexOf(next)];
    if (focus) row?.focus();
    else row?.scrollIntoView({ block: "nearest" });
  };
  useKeys({ "next-sample": () => step(1), "previous-sample": () => step(-1) });
  if (!chosen) return <NothingFound answer={answer} run={run} />;
  return (
    <div className={styles.columns}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it have the focus; arrows go between them. */}
      <div
        className={page.column}
        ref={list}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          step(by, true);
        }}
      >
        <div className={styles.head}>
          <span className={styles.said}>
            {plural(findings.length, "finding")} in {plural(answer.samples, "sample")}, the rewarded ones first
          </span>
          <span>rate over the steps</span>
          <span title="Share of the samples: in the first steps → in the last ones (of each a tenth of the steps, with at least 30 samples; never more than half)">
            first → last
          </span>
          <span>reward</span>
          <span>samples</span>
        </div>
        {SEVERITIES.map(({ name, says }) => {
          const its = findings.filter(({ severity }) => severity === name);
          return its.length === 0 ? null : (
            <section key={name} aria-label={`${name} findings`}>
              <h2 className={styles.severity}>
                {name} {its.length} <small>· {says}</small>
              </h2>
              {its.map((finding) => (
                <Row
                  key={idOf(finding)}
                  finding={finding}
                  isChosen={finding === chosen}
                  onChoose={() => choose(finding)}
                />
              ))}
            </section>
          );
        })}
        <CannotKnow answer={answer} />
        <NotFound answer={answer} />
        <p className={styles.foot}>
          <CopyCommand run={run.id} name="findings" words={options({ split })} />
          <span>
            <kbd>n</kbd> <kbd>p</kbd> finding · <kbd>]</kbd> <kbd>[</kbd> evidence · <kbd>Enter</kbd> opens it ·{" "}
            <kbd>o</kbd> its samples
          </span>
        </p>
      </div>
      <div className={`${page.column} ${styles.open}`}>
        <FindingDetail key={idOf(chosen)} finding={chosen} run={run} />
      </div>
    </div>
  );
}

function Row({ finding, isChosen, onChoose }: { finding: Finding; isChosen: boolean; onChoose: () => void }) {
  const { kind, split, title, severity, rate, onset, baseline, latest, share, reward, reward_others, samples, seen } =
    finding;
  // Red and green are the reward's: better paid than the others, or worse.
  const paid =
    reward === null || reward_others === null ? undefined : qualityColour(reward > reward_others ? 1 : 0, "ink");
  return (
    <button type="button" className={styles.row} aria-pressed={isChosen} onClick={onChoose}>
      <SeverityMark severity={severity} />
      <b className={styles.title}>{title}</b>
      <RateCurve rate={rate} onset={onset} />
      <span className={styles.share}>
        {baseline === null || latest === null ? (
          <b title="Of all samples: there are no first and last steps to compare">{formatPercent(share)}</b>
        ) : (
          <>
            {formatPercent(baseline)} → <b>{formatPercent(latest)}</b>
          </>
        )}
      </span>
      <b className={styles.figure} style={{ color: paid }} title="mean reward of the samples meant">
        {reward === null ? "–" : formatReward(reward)}
      </b>
      <span className={styles.figure} title="samples">
        {formatCount(samples)}
      </span>
      <small className={styles.why}>
        <code>{kind}</code> {split !== "train" && <i>{split} </i>}
        {seen}
      </small>
      <small className={styles.since}>
        {onset ? `step ${onset[0]}${onset[1] > onset[0] ? `–${onset[1]}` : ""}` : "from the start"}
      </small>
    </button>
  );
}

/** Kinds that what was recorded says nothing about: once each, with the splits that it is so for. */
function CannotKnow({ answer: { unknown } }: { answer: FindingsReport }) {
  if (unknown.length === 0) return null;
  const reasons = new Map<string, { kinds: Set<string>; splits: Set<string> }>();
  for (const { kind, split, reason } of unknown) {
    const its = reasons.get(reason) ?? { kinds: new Set(), splits: new Set() };
    its.kinds.add(kind);
    its.splits.add(split);
    reasons.set(reason, its);
  }
  const kinds = new Set(unknown.map(({ kind }) => kind));
  return (
    <section aria-label="What could not be checked">
      <h2 className={styles.severity}>
        could not check {kinds.size} <small>· the run does not record what this needs</small>
      </h2>
      <dl className={styles.unknown}>
        {[...reasons].map(([reason, { kinds, splits }]) => (
          <div key={reason}>
            <dt>
              <code>{[...kinds].join(", ")}</code>
            </dt>
            <dd>
              {reason} <small>{[...splits].join(", ")}</small>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function NotFound({ answer }: { answer: FindingsReport }) {
  const kinds = notFound(answer.kinds, answer.findings, answer.unknown);
  if (kinds.length === 0) return null;
  return (
    <section aria-label="What was not found">
      <h2 className={styles.severity}>
        not found {kinds.length} <small>· looked for in all {formatCount(answer.samples)} samples</small>
      </h2>
      <p className={styles.kinds}>
        <code>{kinds.join(" · ")}</code>
      </p>
    </section>
  );
}
