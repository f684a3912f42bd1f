import { useState } from "react";
import type { Sample } from "../../api/types";
import { formatCount, formatReward, plural } from "../../lib/numbers";
import { Button } from "../../ui/Button";
import { MiddleCut } from "../../ui/MiddleCut";
import { FEW, Searchable } from "../../ui/menus/Searchable";
import type { Folds } from "../messages/folds";
import { Section } from "../messages/Section";
import { colourOf, type Scale } from "./colourScale";
import { FilterValue } from "./FilterValue";
import { Bar } from "./Outcome";
import { type Fact, rewardRange, valuesOf, valueText } from "./outcomeFacts";
import styles from "./Rewards.module.css";

interface RewardsProps {
  sample: Sample;
  scaleOf: (field: string) => Scale;
  folds: Folds;
}

/** Total, components and metrics, each on its own scale with its value beside the colour. */
export function Rewards({ sample, scaleOf, folds }: RewardsProps) {
  const values = valuesOf(sample);
  if (values.length === 0) return null;
  const total: Fact = {
    name: "total",
    field: "reward",
    value: sample.reward,
    text: valueText(sample, "reward", sample.reward, formatReward),
  };
  const components = values.filter(({ field }) => field?.startsWith("rewards."));
  const metrics = values.filter(({ field }) => field?.startsWith("metrics."));
  const said = [
    ...(components.length ? [plural(components.length, "component")] : []),
    ...(metrics.length ? [plural(metrics.length, "metric")] : []),
  ];
  return (
    <Section
      id="rewards"
      title="Rewards and metrics"
      facts={said.join(" · ")}
      folds={folds}
      copy={() => [total, ...values].map(({ name, text }) => `${name}\t${text}`).join("\n")}
    >
      <div className={styles.grid}>
        <Table rows={[total, ...components]} scaleOf={scaleOf} label="Rewards" />
        {metrics.length > 0 && <Table rows={metrics} scaleOf={scaleOf} label="Metrics" />}
      </div>
    </Section>
  );
}

interface TableProps {
  rows: readonly Fact[];
  scaleOf: (field: string) => Scale;
  label: string;
}

/** A dozen rows, and the rest behind a button: two hundred metrics must not push the prompt away. Shown, they scroll in
 * place below a box that narrows them. */
function Table({ rows, scaleOf, label }: TableProps) {
  const [isWhole, setWhole] = useState(false);
  if (rows.length <= FEW) return <Rows rows={rows} scaleOf={scaleOf} label={label} />;
  return (
    <div>
      {isWhole ? (
        <div className={styles.whole}>
          <Searchable items={rows} nameOf={({ name }) => name} label={`Search ${label.toLowerCase()}`}>
            {(found) => <Rows rows={found} scaleOf={scaleOf} label={label} />}
          </Searchable>
        </div>
      ) : (
        <Rows rows={rows.slice(0, FEW)} scaleOf={scaleOf} label={label} />
      )}
      <Button quiet className={styles.more} onClick={() => setWhole(!isWhole)}>
        {isWhole ? `Only the first ${FEW}` : `${formatCount(rows.length - FEW)} more ${label.toLowerCase()}`}
      </Button>
    </div>
  );
}

function Rows({ rows, scaleOf, label }: TableProps) {
  return (
    <table className={styles.table}>
      <caption data-find="off">{label}</caption>
      <tbody>
        {rows.map(({ name, field, value, text }) => {
          const scale = scaleOf(field ?? name);
          return (
            <tr key={field} data-total={field === "reward" || undefined}>
              <th scope="row">
                <MiddleCut text={name} />
              </th>
              <td className={styles.value}>
                <FilterValue field={field ?? name} value={value} style={{ color: colourOf(scale, value, "ink") }}>
                  {text}
                </FilterValue>
              </td>
              <td className={styles.scale} title={rewardRange(scale) ?? undefined}>
                <Bar scale={scale} value={value} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
