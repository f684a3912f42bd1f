import type { Sample } from "../../api/types";
import { formatCount, formatReward, formatValue, plural } from "../../lib/numbers";
import type { Folds } from "../messages/folds";
import { Section } from "../messages/Section";
import { silentTurns, turnColumns } from "../messages/turns";
import { colourOf, turnScale } from "./colourScale";
import styles from "./TurnsTable.module.css";

/** The numbers of turns whose words were not recorded. */
export function TurnsTable({ sample, folds }: { sample: Sample; folds: Folds }) {
  const turns = silentTurns(sample);
  if (turns.length === 0) return null;
  const columns = turnColumns(turns);
  const scale = turnScale(turns.map(({ reward }) => reward));
  return (
    <Section id="turns" title="Turns" facts={`${plural(turns.length, "turn")}, numbers only`} folds={folds}>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">turn</th>
              <th scope="col">prompt tokens</th>
              <th scope="col">completion tokens</th>
              <th scope="col">reward</th>
              <th scope="col">stop</th>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {turns.map((turn) => (
              <tr key={turn.index}>
                <th scope="row">{turn.index + 1}</th>
                <td>{formatCount(turn.prompt_tokens)}</td>
                <td>{formatCount(turn.completion_tokens)}</td>
                <td style={{ color: colourOf(scale, turn.reward, "ink") }}>{formatReward(turn.reward)}</td>
                <td>{turn.stop_reason ?? "–"}</td>
                {columns.map((name) => (
                  <td key={name}>{turnValue(turn.metrics?.[name], turn.logs?.[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function turnValue(metric: number | null | undefined, log: unknown): string {
  if (metric !== undefined) return formatValue(metric);
  if (log === undefined) return "–";
  return typeof log === "string" ? log : JSON.stringify(log);
}
