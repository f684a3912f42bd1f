import { useRun } from "../../api/hooks";
import type { DiffSide } from "../../api/types";
import { formatCount, formatReward, formatSigned } from "../../lib/numbers";
import { colourOf, scaleFor } from "../../reading/outcome/colourScale";
import { Bar } from "../../reading/outcome/Outcome";
import { Answered } from "../parts/Answered";
import { InnerLink } from "../parts/InnerLink";
import { openSample } from "../parts/openSample";
import { SideMark } from "../parts/SideMark";
import styles from "./DiffHead.module.css";

interface DiffHeadProps {
  side: "a" | "b";
  run: string;
  sample: DiffSide;
  /** Both are of one run: its name says nothing. */
  isOneRun: boolean;
}

/** One of the two samples: which it is, what it answered and what that was worth. */
export function DiffHead({ side, run, sample, isOneRun }: DiffHeadProps) {
  const { address, env, answer, golden, tokens, characters } = sample;
  const ranges = useRun(run).data?.ranges ?? {};
  return (
    <div className={styles.head}>
      <p className={styles.who}>
        <SideMark side={side} />
        <InnerLink to={{ run, ...openSample(address) }}>{address}</InnerLink>
        {!isOneRun && <span>{sample.run}</span>}
        {answer !== null && (
          <span className={styles.answer}>
            answered <Answered answer={answer} golden={golden} />
          </span>
        )}
      </p>
      <dl className={styles.facts}>
        {(["reward", "advantage"] as const).map((field) => {
          const value = sample[field];
          const scale = scaleFor(field, env, ranges, {});
          return value === null ? null : (
            <div key={field} className={styles.scaled}>
              <dt>{field}</dt>
              <dd style={{ color: colourOf(scale, value, "ink") }}>
                {field === "reward" ? formatReward(value) : formatSigned(value)}
                <Bar scale={scale} value={value} />
              </dd>
            </div>
          );
        })}
        {tokens !== null && (
          <div>
            <dt>tokens</dt>
            <dd>{formatCount(tokens)}</dd>
          </div>
        )}
        <div>
          <dt>characters</dt>
          <dd>{formatCount(characters)}</dd>
        </div>
      </dl>
    </div>
  );
}
