/** Of a sample that was found: where it is, and what came out. */
import { reasonText } from "../reading/outcome/discardReasons";
import { RewardFigure } from "../reading/outcome/RewardFigure";
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
  return (
    <span className={styles.facts}>
      <code>{address}</code>
      {field !== null && <span>{field}</span>}
      <span title={env ?? undefined}>{env}</span>
      {reward !== null && (
        <span>
          reward <RewardFigure run={run} env={env} value={reward} />
        </span>
      )}
      {discardReason && <span>discarded: {reasonText(discardReason)}</span>}
    </span>
  );
}
