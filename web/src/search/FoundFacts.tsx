/** Of a sample that was found: where it is, and what came out. */
import { useRun } from "../api/hooks";
import { formatReward } from "../lib/numbers";
import { colourOf, scaleFor } from "../reading/outcome/colourScale";
import { reasonText } from "../reading/outcome/discardReasons";
import styles from "./SearchPage.module.css";

interface FoundFactsProps {
  run: string;
  address: string;
  /** Which of its texts; null: it was found by a filter. */
  field: string | null;
  env: string | null;
  reward: number | null;
  discardReason: string | null;
}

export function FoundFacts({ run, address, field, env, reward, discardReason }: FoundFactsProps) {
  const ranges = useRun(run).data?.ranges ?? {};
  return (
    <span className={styles.facts}>
      <code>{address}</code>
      {field !== null && <span>{field}</span>}
      <span title={env ?? undefined}>{env}</span>
      {reward !== null && (
        <span>
          reward{" "}
          <b style={{ color: colourOf(scaleFor("reward", env, ranges, {}), reward, "ink") }}>{formatReward(reward)}</b>
        </span>
      )}
      {discardReason && <span>discarded: {reasonText(discardReason)}</span>}
    </span>
  );
}
