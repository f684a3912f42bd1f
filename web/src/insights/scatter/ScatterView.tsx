/** Two fields of the list's samples against each other: each point opens its sample, a box narrows the filter. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { fieldName, vocabulary } from "../../api/fields";
import { listCommands, useRun } from "../../api/hooks";
import { scatterQuery } from "../../api/insights";
import type { RunInfo, ScatterPoints } from "../../api/types";
import { formatCount, plural } from "../../lib/numbers";
import { withCondition } from "../../state/conditions";
import { RUN_COLOURS } from "../../state/runColours";
import { chooseSplit } from "../../state/selection";
import { pageOfSplit } from "../../state/url";
import { currentView, go, hrefFor, useView } from "../../state/view";
import { CopyButton } from "../../ui/CopyButton";
import { Empty, Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { ScatterBar } from "./ScatterBar";
import { ScatterPlot } from "./ScatterPlot";
import styles from "./ScatterView.module.css";
import { type Box, edges } from "./scatterGeometry";

export function ScatterView({ run }: { run: RunInfo }) {
  const { other, split: wanted, steps, where } = useView();
  const details = useRun(run.id).data;
  const split = chooseSplit(run.splits, wanted) ?? "train";
  const discarded = other.samples === "discarded";
  const query = useQuery(
    scatterQuery(run.id, { split, steps: steps === "all" ? null : steps, where, discarded, x: other.x, y: other.y }),
  );
  const points = query.data;
  const envs = details?.envs;
  // By its place among all environments of the run: a filter does not change an environment's colour.
  const colourOf = useCallback(
    (code: number): string => {
      const name = points?.envs[code];
      const nth = typeof name === "string" ? (envs?.indexOf(name) ?? code) : -1;
      return nth < 0 ? "--run-8" : (RUN_COLOURS[nth % (RUN_COLOURS.length - 1)] as string);
    },
    [points, envs],
  );
  const target = { page: discarded ? ("discarded" as const) : pageOfSplit(split), split, steps, where, other: {} };
  const onOpen = (nth: number): void => {
    if (points) go({ ...target, step: points.steps[nth] as number, sample: points.indexes[nth] as number });
  };
  const onBox = ({ x, y }: Box): void => {
    if (!points) return;
    const { where } = currentView();
    const narrowed = withCondition(where, points.x, edges(x, points.xs));
    go({ where: withCondition(narrowed, points.y, edges(y, points.ys)) });
  };
  return (
    <>
      <ScatterBar
        run={run}
        split={split}
        fields={allFields(details?.fields ?? [])}
        x={points?.x ?? other.x ?? null}
        y={other.y ?? "reward"}
      />
      {query.error ? (
        <Failure error={query.error} />
      ) : !points ? (
        <Skeleton lines={8} label="Loading the points" />
      ) : (
        <div className={styles.view} aria-busy={query.isPlaceholderData}>
          <p className={styles.says}>
            <span role="status">{counts(points)}</span>
            {points.total > 0 && (
              <a href={hrefFor({ ...target, steps: steps ?? "all", list: "samples", step: null, sample: null })}>
                List {points.total === 1 ? "it" : "them"}
              </a>
            )}
            <CopyButton
              quiet
              title="rollscope samples … --json"
              text={async () => {
                const list = { split, steps: steps && steps !== "all" ? steps : undefined, where, discarded };
                const { command } = await listCommands(run.id, list);
                return [command, ...featureOption([points.x, points.y]), "--json"].join(" ");
              }}
            >
              Copy as command
            </CopyButton>
          </p>
          <Legend points={points} colourOf={colourOf} />
          {points.xs.length === 0 ? (
            <Empty icon="filter" title={points.total === 0 ? "No sample matches" : "No sample has both numbers"} />
          ) : (
            <ScatterPlot points={points} colourOf={colourOf} onOpen={onOpen} onBox={onBox} />
          )}
          <p id="scatter-keys" className={page.say}>
            Click a point to open its sample; drag a box to filter by it. Keys: the arrows go from point to point (with
            Shift, farther), Enter opens the sample, Space marks one corner of a box and then the other.
          </p>
        </div>
      )}
    </>
  );
}

/** Computed fields are printed where they are asked for; the others always are. */
function featureOption(names: readonly string[]): string[] {
  const computed = vocabulary().fields.filter(({ origin, name }) => origin === "feature" && names.includes(name));
  return computed.length > 0 ? [`--features=${computed.map(({ name }) => name).join(",")}`] : [];
}

/** What is drawn, and what is not and why. */
function counts({ xs, x, y, total, placed, without_x, without_y, progress }: ScatterPoints): string {
  const said = [
    xs.length < placed
      ? `${formatCount(xs.length)} of ${plural(placed, "point")} drawn, evenly over the list`
      : `${plural(placed, "point")} drawn`,
    `${plural(total, "sample")} in the list`,
  ];
  if (without_x > 0) said.push(`${formatCount(without_x)} without ${fieldName(x)}`);
  if (without_y > 0 && y !== x) said.push(`${formatCount(without_y)} without ${fieldName(y)}`);
  if (!progress.done) said.push("still reading");
  return said.join(" · ");
}

function Legend({ points, colourOf }: { points: ScatterPoints; colourOf: (code: number) => string }) {
  const { envs, env_codes } = points;
  if (envs.length === 0 || (envs.length === 1 && envs[0] === null)) return null;
  const sizes = envs.map(() => 0);
  for (const code of env_codes) sizes[code] = (sizes[code] ?? 0) + 1;
  return (
    <ul className={styles.legend} aria-label="Environments">
      {envs.map((env, code) => (
        <li key={env ?? ""}>
          <span className={styles.dot} style={{ background: `var(${colourOf(code)})` }} />
          {env === null ? (
            "no environment"
          ) : (
            <button
              type="button"
              title={`Filter: env = "${env}"`}
              onClick={() => go({ where: withCondition(currentView().where, "env", { equals: env }) })}
            >
              {env}
            </button>
          )}
          <span className={page.faint}>{formatCount(sizes[code])}</span>
        </li>
      ))}
    </ul>
  );
}

/** Fields that are numbers: what the run has, the step, and what is computed from texts when it is asked for. */
function allFields(fields: readonly string[]): string[] {
  const computed = vocabulary().fields.filter(
    ({ origin, type }) => origin === "feature" && (type === "number" || type === "integer" || type === "boolean"),
  );
  return [...new Set(["step", ...fields, ...computed.map(({ name }) => name)])];
}
