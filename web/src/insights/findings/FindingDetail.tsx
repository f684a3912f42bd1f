/** One finding from near: the sentence, its rate and what it is paid, its filter, and evidence at its characters. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { filteredCountQuery, findingDetailQuery } from "../../api/insights";
import type { FindingDetail as Detail, Finding, RunInfo, SeenEvidence } from "../../api/types";
import { FilterBox } from "../../browsing/FilterBox";
import { formatCount, plural } from "../../lib/numbers";
import { RewardFigure } from "../../reading/outcome/RewardFigure";
import { formatStepRange, pageOfSplit, type View } from "../../state/url";
import { useKeys } from "../../state/useKeys";
import { go, linkToHere, useViewPart } from "../../state/view";
import { CopyButton } from "../../ui/CopyButton";
import { SeverityMark } from "../../ui/SeverityMark";
import { InnerLink } from "../parts/InnerLink";
import { openSample } from "../parts/openSample";
import { useFilterWords } from "../parts/useFilterWords";
import { FindingChart } from "./FindingChart";
import styles from "./FindingDetail.module.css";

export function FindingDetail({ finding, run }: { finding: Finding; run: RunInfo }) {
  const { title, kind, why, split, severity, samples } = finding;
  const typed = useViewPart("where");
  const where = typed || finding.where;
  const { data } = useQuery(findingDetailQuery(run.id, finding));
  const filter = useRef<HTMLTextAreaElement>(null);
  const its: Partial<View> = {
    page: pageOfSplit(split),
    split,
    steps: "all",
    list: "samples",
    where,
    other: { mark: kind },
  };
  const judged = Math.round(samples / Math.max(finding.share, 1e-9));
  const kept = run.splits.find((each) => each.split === split)?.samples ?? 0;
  useKeys({ outlier: () => go(its), filter: () => filter.current?.focus() });
  return (
    <article className={styles.detail} aria-label={title}>
      <h2>
        <SeverityMark severity={severity} /> {title} <code>{kind}</code>
        <CopyButton text={linkToHere} icon="link" quiet aria-label="Copy link" />
      </h2>
      <p>{why}.</p>
      <FindingChart
        finding={finding}
        rewards={data?.rewards}
        onStep={(step) => go({ ...its, step, steps: formatStepRange({ first: step, last: step }) })}
      />
      <Filter run={run} split={split} where={where} own={finding.where} inputRef={filter} samples={samples} to={its} />
      <Evidence run={run.id} finding={finding} detail={data} where={where} />
      <p className={styles.looked}>
        Looked at {formatCount(judged)} samples of {split} that could be judged
        {kind === "phrase" &&
          judged < kept &&
          ` (of ${formatCount(kept)}: only these are marked in lists, but its filter finds all)`}
        . This is no verdict: it says how often, since when, and where.{" "}
        <InnerLink to={{ where: "", other: { tab: "contrast", a: finding.where } }}>Contrast with the rest</InnerLink>
      </p>
    </article>
  );
}

interface FilterProps {
  run: RunInfo;
  split: string;
  where: string;
  /** The finding's own filter. */
  own: string;
  samples: number;
  inputRef: React.RefObject<HTMLTextAreaElement | null>;
  to: Partial<View>;
}

/** The samples meant are a filter like any other: it can be changed, and opened. */
function Filter({ run, split, where, own, samples, inputRef, to }: FilterProps) {
  const words = useFilterWords(run.id);
  const isOwn = where === own;
  const { data, error } = useQuery({ ...filteredCountQuery(run.id, split, where), enabled: !isOwn });
  const count = isOwn ? samples : data?.total;
  return (
    <div className={styles.where}>
      <div className={styles.filter}>
        <FilterBox
          inputRef={inputRef}
          where={where}
          words={words}
          error={isOwn ? null : error}
          onApply={(wanted) => go({ where: wanted === own ? "" : wanted }, { replace: true })}
        />
      </div>
      <InnerLink className={styles.open} to={to}>
        Open {count === undefined ? "its samples" : plural(count, "sample")} <kbd>o</kbd>
      </InnerLink>
    </div>
  );
}

interface EvidenceProps {
  run: string;
  finding: Finding;
  detail: Detail | undefined;
  where: string;
}

function Evidence({ run, finding, detail, where }: EvidenceProps) {
  const { evidence, samples, kind } = finding;
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const words = new Map((detail?.evidence ?? []).map((seen) => [`${seen.address} ${seen.start}`, seen]));
  const move = (by: number): void => setAt((from) => Math.min(evidence.length - 1, Math.max(0, from + by)));
  useKeys({ "next-group": () => move(1), "previous-group": () => move(-1) });
  const isMoved = useRef(false);
  useEffect(() => {
    if (isMoved.current) list.current?.querySelectorAll<HTMLElement>("a")[at]?.focus();
    isMoved.current = true;
  }, [at]);
  if (evidence.length === 0) return null;
  return (
    <section aria-label="Evidence">
      <h3>
        Evidence <small>{evidence.length < samples ? `${evidence.length} of ${formatCount(samples)}` : null}</small>
      </h3>
      <ul ref={list} className={styles.evidence}>
        {evidence.map((seen, nth) => {
          const isText = seen.end > seen.start;
          const target = openSample(seen.address, {
            where,
            steps: "all",
            list: "samples",
            other: isText ? { mark: kind, at: String(seen.start) } : {},
          });
          return (
            <li key={`${seen.address} ${seen.field} ${seen.start}`}>
              <InnerLink to={target ?? {}} data-current={nth === at || undefined} onFocus={() => setAt(nth)}>
                <EvidenceFacts
                  run={run}
                  address={seen.address}
                  place={isText ? `${seen.field} ${formatCount(seen.start)}–${formatCount(seen.end)}` : seen.field}
                  seen={words.get(`${seen.address} ${seen.start}`)}
                />
                <Words value={seen.value} isText={isText} seen={words.get(`${seen.address} ${seen.start}`)} />
              </InnerLink>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface EvidenceFactsProps {
  run: string;
  address: string;
  place: string;
  seen: SeenEvidence | undefined;
}

function EvidenceFacts({ run, address, place, seen }: EvidenceFactsProps) {
  return (
    <span className={styles.facts}>
      <code>{address}</code>
      <span>{place}</span>
      {seen && <RewardFigure run={run} env={seen.env} value={seen.reward} />}
      {seen && <RewardFigure run={run} env={seen.env} field="advantage" value={seen.advantage} />}
    </span>
  );
}

/** Of the words before: the characters themselves must be in the first lines. */
const BEFORE = 80;

/** The characters, with the words around them. */
function Words({ value, isText, seen }: { value: string; isText: boolean; seen: SeenEvidence | undefined }) {
  if (!isText) return <span>{value}</span>;
  if (!seen) return <mark>{value}</mark>;
  const isCut = seen.end - seen.start > seen.text.length;
  const says = value !== seen.text && !seen.text.startsWith(value) && value;
  return (
    <span className={styles.words}>
      {seen.before && <>…{seen.before.slice(-BEFORE)}</>}
      <mark>{seen.text}</mark>
      {isCut ? " …" : seen.after && <>{seen.after}…</>}
      {says && <small> {value}</small>}
    </span>
  );
}
