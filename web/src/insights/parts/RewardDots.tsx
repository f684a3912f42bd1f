import { colourOf, type Scale } from "../../reading/outcome/colourScale";
import styles from "./RewardDots.module.css";

/** Rewards as small squares in the colours of their scale. Figures stand beside them. */
export function RewardDots({ rewards, scale }: { rewards: readonly (number | null)[]; scale: Scale }) {
  return (
    <span className={styles.dots} aria-hidden="true">
      {rewards.map((reward, place) => (
        <i key={place} style={{ background: colourOf(scale, reward) }} />
      ))}
    </span>
  );
}
