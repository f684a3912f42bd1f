import type { RunDetails } from "../api/types";
import { formatCount } from "../lib/numbers";
import styles from "./AboutPanel.module.css";

/** What this run is, what its format cannot know, and how its values range. */
export function AboutPanel({ details }: { details: RunDetails }) {
  const { info, limits, ranges, envs } = details;
  return (
    <section className={styles.about} aria-label="About this run">
      <dl className={styles.facts}>
        <dt>Path</dt>
        <dd>
          <code>{info.path}</code>
        </dd>
        <dt>Format</dt>
        <dd>{info.format}</dd>
        {envs.length > 0 && (
          <>
            <dt>Environments</dt>
            <dd>{envs.join(", ")}</dd>
          </>
        )}
      </dl>
      {info.warnings.length > 0 && (
        <>
          <h3>Warnings</h3>
          <ul className={styles.sentences} data-tone="warn">
            {info.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      <h3>Splits</h3>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Split</th>
            <th>Steps</th>
            <th>First</th>
            <th>Last</th>
            <th>Samples</th>
            <th>Discarded</th>
          </tr>
        </thead>
        <tbody>
          {info.splits.map((split) => (
            <tr key={split.split}>
              <th scope="row">{split.split}</th>
              <td>{formatCount(split.steps)}</td>
              <td>{formatCount(split.first_step)}</td>
              <td>{formatCount(split.last_step)}</td>
              <td>{formatCount(split.samples)}</td>
              <td>{formatCount(split.discarded)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>What this format cannot know</h3>
      {limits.length === 0 ? (
        <p className={styles.plain}>Nothing is missing: the run records everything that Rollscope shows.</p>
      ) : (
        <ul className={styles.sentences}>
          {limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      )}
      <h3>Ranges</h3>
      <Ranges ranges={ranges} />
    </section>
  );
}

/** Of lengths and ages neither end is the better one. */
function isScore(field: string): boolean {
  return field === "reward" || field === "final_reward" || /^(metrics|rewards)\./.test(field);
}

function Ranges({ ranges }: { ranges: RunDetails["ranges"] }) {
  const rows = Object.entries(ranges).flatMap(([env, fields]) =>
    Object.entries(fields).map(([field, range]) => ({ env: env === "*" ? "any" : env, field, range })),
  );
  if (rows.length === 0) {
    return <p className={styles.plain}>None is declared; colours use the range seen in the samples.</p>;
  }
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th>Environment</th>
          <th>Field</th>
          <th>From</th>
          <th>To</th>
          <th>Better</th>
          <th>Known</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ env, field, range }) => (
          <tr key={`${env} ${field}`}>
            <td>{env}</td>
            <td>{field}</td>
            <td>{range.min ?? "–"}</td>
            <td>{range.max ?? "–"}</td>
            <td>{isScore(field) ? (range.higher_is_better === false ? "lower" : "higher") : "–"}</td>
            <td>{range.origin ?? "declared"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
