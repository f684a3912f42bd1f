import type { Sample } from "../../api/types";
import { formatReward } from "../../lib/numbers";
import type { Folds } from "../messages/folds";
import { Section } from "../messages/Section";
import { colourOf, type Scale } from "./colourScale";
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
    ...(components.length ? [`${components.length} components`] : []),
    ...(metrics.length ? [`${metrics.length} metrics`] : []),
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

function Table({ rows, scaleOf, label }: { rows: readonly Fact[]; scaleOf: (field: string) => Scale; label: string }) {
  return (
    <table className={styles.table}>
      <caption data-find="off">{label}</caption>
      <tbody>
        {rows.map(({ name, field, value, text }) => {
          const scale = scaleOf(field ?? name);
          return (
            <tr key={field} data-total={field === "reward" || undefined}>
              <th scope="row" title={name}>
                {name}
              </th>
              <td className={styles.value} style={{ color: colourOf(scale, value, "ink") }}>
                {text}
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
