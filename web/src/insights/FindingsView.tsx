/** What is worth reading: each finding with its rate over the steps, what it is paid, and evidence to open. */
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { findingsQuery } from "../api/insights";
import type { Evidence, Finding, FindingsReport, RunInfo } from "../api/types";
import { formatCount, formatReward, plural } from "../lib/numbers";
import { parseAddress } from "../state/url";
import { go, hrefFor, useView } from "../state/view";
import { CopyButton } from "../ui/CopyButton";
import { Empty, Failure, Skeleton } from "../ui/States";
import { percent } from "./ContrastView";
import styles from "./FindingsView.module.css";
import page from "./InsightsPage.module.css";
import { RateCurve } from "./RateCurve";

const SEVERITIES = [
  { name: "high", says: "rewarded, and more than at first" },
  { name: "medium", says: "costs the run, or is not rewarded" },
  { name: "low", says: "seldom, or slowly" },
] as const;

export function FindingsView({ run }: { run: RunInfo }) {
  const { data, error, isPending } = useQuery(findingsQuery(run.id));
  if (error) return <Failure error={error} />;
  if (isPending || !data)
    return (
      <div className={page.reading}>
        <p className={page.say} role="status">
          Looking through the texts. The first time this reads all of them.
        </p>
        <Skeleton lines={8} label="Looking" />
      </div>
    );
  return <Answer answer={data} />;
}

const idOf = ({ kind, split, where }: Finding): string => `${split} ${kind} ${where}`;

function Answer({ answer }: { answer: FindingsReport }) {
  const { other } = useView();
  const { findings } = answer;
  const chosen = findings.find((finding) => idOf(finding) === other.finding) ?? findings[0];
  const list = useRef<HTMLDivElement>(null);
  const choose = (finding: Finding, replace = false) =>
    go({ other: { tab: "findings", finding: idOf(finding) } }, { replace });
  const step = (by: number): void => {
    const next = findings[findings.indexOf(chosen as Finding) + by];
    if (!next) return;
    choose(next, true);
    list.current?.querySelectorAll<HTMLElement>("button")[findings.indexOf(next)]?.focus();
  };
  if (!chosen)
    return (
      <Empty icon="check" title="Nothing found">
        <p>
          Looked at {plural(answer.samples, "sample")} for {plural(answer.kinds.length, "kind")} of trouble.
        </p>
        <CannotKnow answer={answer} />
      </Empty>
    );
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
          step(by);
        }}
      >
        <p className={page.say}>
          {plural(findings.length, "finding")} in {plural(answer.samples, "sample")}, the rewarded ones first
        </p>
        {SEVERITIES.map(({ name, says }) => {
          const its = findings.filter(({ severity }) => severity === name);
          return its.length === 0 ? null : (
            <section key={name} aria-label={`${name} findings`}>
              <h2 className={styles.severity}>
                {name} {its.length} <small>{says}</small>
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
      </div>
      <div className={page.column}>
        <Detail finding={chosen} />
      </div>
    </div>
  );
}

function Row({ finding, isChosen, onChoose }: { finding: Finding; isChosen: boolean; onChoose: () => void }) {
  const { kind, split, title, severity, rate, onset, baseline, share, reward, samples, why } = finding;
  return (
    <button type="button" className={styles.row} aria-pressed={isChosen} onClick={onChoose}>
      <span className={styles.mark} data-severity={severity} title={`severity ${severity}`} />
      <span className={styles.title}>
        <b>{title}</b>
        <small>
          {split !== "train" && <i>{split} </i>}
          <code>{kind}</code> {why}
        </small>
      </span>
      <RateCurve rate={rate} onset={onset} small />
      <span className={styles.share}>
        {baseline === null ? "" : `${percent(baseline)} → `}
        <b>{percent(share)}</b>
      </span>
      <span className={styles.figure} title="mean reward of the samples meant">
        {reward === null ? "–" : formatReward(reward)}
      </span>
      <span className={styles.figure} title="samples">
        {formatCount(samples)}
      </span>
    </button>
  );
}

function Detail({ finding }: { finding: Finding }) {
  const { title, kind, why, where, split, samples, rate, onset, reward, reward_others, evidence } = finding;
  const isEval = split.startsWith("eval/");
  const target = { page: isEval ? "evals" : "rollouts", split, steps: "all", list: "samples", where } as const;
  return (
    <article className={styles.detail} aria-label={title}>
      <h2>
        {title} <code>{kind}</code>
      </h2>
      <p>{why}</p>
      {reward !== null && (
        <p className={page.faint}>
          Mean reward {formatReward(reward)}
          {reward_others !== null && `; of all others ${formatReward(reward_others)}`}.
        </p>
      )}
      <RateCurve rate={rate} onset={onset} />
      <div className={styles.where}>
        <code>{where}</code>
        <CopyButton text={where} quiet aria-label="Copy the filter" />
        <a
          href={hrefFor(target)}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            go(target);
          }}
        >
          Open {plural(samples, "sample")}
        </a>
      </div>
      <h3>
        Evidence <small>{evidence.length < samples ? `${evidence.length} of ${formatCount(samples)}` : null}</small>
      </h3>
      <ul className={styles.evidence}>
        {evidence.map((seen) => (
          <EvidenceRow key={`${seen.address} ${seen.field} ${seen.start}`} seen={seen} where={where} />
        ))}
      </ul>
    </article>
  );
}

/** Opens its sample with the very characters marked. */
function EvidenceRow({ seen, where }: { seen: Evidence; where: string }) {
  const { address, field, start, end, value } = seen;
  const place = parseAddress(address);
  const isText = end > start;
  const target = place && {
    page: place.split.startsWith("eval/") ? ("evals" as const) : ("rollouts" as const),
    ...place,
    where,
    find: isText ? value.slice(0, 80) : "",
  };
  return (
    <li>
      <a
        href={target ? hrefFor(target) : undefined}
        onClick={(event) => {
          if (!target || event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          go(target);
        }}
      >
        <span className={styles.address}>
          {address} <small>{isText ? `${field} ${formatCount(start)}–${formatCount(end)}` : field}</small>
        </span>
        {isText ? <mark>{value}</mark> : <span>{value}</span>}
      </a>
    </li>
  );
}

function CannotKnow({ answer: { unknown } }: { answer: FindingsReport }) {
  if (unknown.length === 0) return null;
  return (
    <section aria-label="What cannot be known">
      <h2 className={styles.severity}>
        cannot know {unknown.length} <small>what was recorded does not say</small>
      </h2>
      <dl className={styles.unknown}>
        {unknown.map(({ split, kind, reason }) => (
          <div key={`${split} ${kind}`}>
            <dt>
              <code>{kind}</code>
            </dt>
            <dd>
              {reason} <small>{split}</small>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
