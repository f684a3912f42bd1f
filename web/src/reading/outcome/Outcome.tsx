import type { ReactNode } from "react";
import type { Sample } from "../../api/types";
import { formatCount, formatReward } from "../../lib/numbers";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { colourOf, placeOn, type Scale } from "./colourScale";
import { reasonText } from "./discardReasons";
import { FilterValue } from "./FilterValue";
import styles from "./Outcome.module.css";
import { factsOf, rewardRange, valuesOf, valueText } from "./outcomeFacts";

interface OutcomeProps {
  sample: Sample;
  /** 0-based place in the group (or the flat list), for "3 of 8". */
  place: { nth: number | null; total: number };
  scaleOf: (field: string) => Scale;
  actions: ReactNode;
  /** Shows every value of the sample. */
  onMore: () => void;
}

/** What came out, always in view above the sample. */
export function Outcome({ sample, place, scaleOf, actions, onMore }: OutcomeProps) {
  const scale = scaleOf("reward");
  const count = valuesOf(sample).length;
  return (
    <header className={styles.outcome}>
      <div className={styles.crumb}>
        <span className={styles.what}>
          <span className={styles.where}>
            {sample.split !== "train" && (
              <span className={styles.split} title={sample.split}>
                {sample.split}
              </span>
            )}
            Step <b>{sample.step}</b>
            {sample.group !== null && (
              <>
                {" "}
                · Group{" "}
                <b className={styles.group} title={String(sample.group)}>
                  {sample.group}
                </b>
              </>
            )}{" "}
            · Sample <b title={sample.address}>{sample.index}</b>
            {place.nth !== null && place.total > 1 && (
              <span className={styles.place}>
                {" "}
                · {formatCount(place.nth + 1)} of {formatCount(place.total)}
              </span>
            )}
          </span>
          {sample.env && (
            <span className={styles.env}>
              <Badge title={`environment ${sample.env}`}>
                <FilterValue field="env" value={sample.env}>
                  {sample.env}
                </FilterValue>
              </Badge>
            </span>
          )}
          {sample.dataset && sample.dataset !== sample.env && (
            <span className={styles.dataset}>
              <Badge title="dataset">
                <FilterValue field="dataset" value={sample.dataset}>
                  {sample.dataset}
                </FilterValue>
              </Badge>
            </span>
          )}
        </span>
        {sample.discard_reason && (
          <span className={styles.discarded}>
            <Badge tone="warn" title={`Generated, but not trained on: ${reasonText(sample.discard_reason)}`}>
              <span className={styles.prefix}>discarded: </span>
              {reasonText(sample.discard_reason)}
            </Badge>
          </span>
        )}
        <span className={styles.actions}>{actions}</span>
      </div>
      <div className={styles.row}>
        <div className={styles.facts}>
          <div className={styles.reward}>
            <small>{["reward", rewardRange(scale)].filter(Boolean).join(" · ")}</small>
            <strong style={{ color: colourOf(scale, sample.reward, "ink") }}>
              <FilterValue field="reward" value={sample.reward}>
                {valueText(sample, "reward", sample.reward, formatReward)}
              </FilterValue>
            </strong>
            <Bar scale={scale} value={sample.reward} />
          </div>
          {factsOf(sample).map(({ name, field, value, text, tone, title, filter }) => (
            <div key={field ?? name} className={styles.fact} title={title}>
              <small title={name}>{name}</small>
              <strong
                data-tone={tone}
                style={field && value !== null ? { color: colourOf(scaleOf(field), value, "ink") } : undefined}
              >
                {filter ? (
                  <FilterValue field={filter.field} value={filter.value}>
                    {text}
                  </FilterValue>
                ) : (
                  text
                )}
              </strong>
            </div>
          ))}
        </div>
        {count > 0 && (
          <Button quiet className={styles.more} title="All rewards and metrics of this sample" onClick={onMore}>
            {count > 1 && "all "}
            {formatCount(count)}
            <span className={styles.values}>{count === 1 ? " value" : " values"}</span>
          </Button>
        )}
      </div>
    </header>
  );
}

/** The scale with a mark at the value; without one, the scale alone says that there is none. Where no value was
 * ever seen there is no scale either, and its place stays empty. */
export function Bar({ scale, value }: { scale: Scale; value: number | null }) {
  const place = value === null ? null : placeOn({ ...scale, higherIsBetter: true }, value);
  return (
    <span
      className={styles.bar}
      data-unknown={scale.origin === "none" || undefined}
      data-kind={scale.kind}
      data-turned={!scale.higherIsBetter || undefined}
      data-empty={place === null || undefined}
    >
      {place !== null && <i style={{ left: `${place * 100}%` }} />}
    </span>
  );
}
