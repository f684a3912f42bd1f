/** The samples that hold a phrase, with the words around it; each opens at it. */
import { useQuery } from "@tanstack/react-query";
import { filteredCountQuery, phraseHitsQuery } from "../../api/insights";
import type { Hit, PhraseContrast, RunInfo } from "../../api/types";
import { formatCount, plural } from "../../lib/numbers";
import { snippetParts } from "../../lib/snippet";
import { RewardFigure } from "../../reading/outcome/RewardFigure";
import { useKeys } from "../../state/useKeys";
import { go } from "../../state/view";
import { Failure, Skeleton } from "../../ui/States";
import styles from "../InsightsPage.module.css";
import { InnerLink } from "../parts/InnerLink";
import { openSample } from "../parts/openSample";
import { SideMark } from "../parts/SideMark";

interface PhraseSamplesProps {
  run: RunInfo;
  phrase: PhraseContrast;
  field: string;
  /** The run that B is of, where it is another. */
  against: string | undefined;
}

export function PhraseSamples({ run, phrase, field, against }: PhraseSamplesProps) {
  const { text, where, a, b, z } = phrase;
  // Of the side that has more of it.
  const of = z < 0 && against ? against : run.id;
  const { data, error } = useQuery(phraseHitsQuery(of, where));
  const total = useQuery(filteredCountQuery(of, null, where, "all")).data?.total;
  const all = { run: of, page: "rollouts", steps: "all", list: "samples", where, find: text } as const;
  useKeys({ outlier: () => go(all) });
  return (
    <section className={styles.samples} aria-label="Samples with the phrase">
      <h2>
        Samples with it <SideMark side="a" /> {formatCount(a)} <SideMark side="b" /> {formatCount(b)}{" "}
        <small>of those read, in {field}</small>
        <InnerLink to={all}>
          Open in Rollouts <kbd>o</kbd>
        </InnerLink>
      </h2>
      {error ? (
        <Failure error={error} />
      ) : !data ? (
        <Skeleton lines={4} label="Looking for its samples" />
      ) : (
        <ul>
          {data.map((hit) => (
            <li key={hit.address}>
              <InnerLink to={{ run: of, ...openSample(hit.address), where, steps: "all", list: "samples", find: text }}>
                <span className={styles.facts}>
                  <code>{hit.address}</code>
                  <RewardFigure run={of} env={hit.env} value={hit.reward} />
                </span>
                <Around hit={hit} />
              </InnerLink>
            </li>
          ))}
        </ul>
      )}
      {data && total !== undefined && total > data.length && (
        <p className={styles.say}>and {plural(total - data.length, "other")}</p>
      )}
    </section>
  );
}

/** The words around the phrase, wherever in the text it stands. */
function Around({ hit }: { hit: Hit }) {
  const [before, found, after] = snippetParts(hit);
  return (
    <span className={styles.start}>
      {hit.start > hit.snippet_start && "…"}
      {before}
      <mark>{found}</mark>
      {after}
    </span>
  );
}
