/** Beside the prompts: how the two runs went, and what sets their configs apart. */
import { useQuery } from "@tanstack/react-query";
import { catalogQuery, runQuery, seriesQuery } from "../../api/hooks";
import type { RunInfo } from "../../api/types";
import { DEFAULT_SPAN, smoothed } from "../../lib/ema";
import { formatCount, formatValue, plural } from "../../lib/numbers";
import { compareConfigs } from "../../run/configTree";
import { useWidth } from "../../ui/hooks/useWidth";
import { Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { linePath, stepX } from "../parts/rateGeometry";
import { SideMark } from "../parts/SideMark";
import { paddedRange, place, ticks } from "../scatter/scatterGeometry";
import styles from "./RunsBeside.module.css";

/** What is looked at first; of these, those that both runs have. */
const METRICS = ["rollouts/reward/mean", "rollouts/completion_tokens/mean"];
const HEIGHT = 96;
const LEFT = 56;
/** Of the curve and its figures: kept for them while they are read. */
const ROOM = HEIGHT + 16;

export function RunsBeside({ a, b }: { a: RunInfo; b: RunInfo }) {
  return (
    <div className={styles.beside}>
      <div>
        {METRICS.map((name) => (
          <Overlay key={name} name={name} a={a} b={b} />
        ))}
      </div>
      <ConfigDifferences a={a} b={b} />
    </div>
  );
}

interface Metric {
  points: readonly (readonly [number, number | null])[];
  state: "read" | "reading" | "failed";
}

function useMetric(run: string, name: string): Metric {
  const catalog = useQuery(catalogQuery(run));
  const isThere = catalog.data?.some((info) => info.name === name) ?? false;
  const series = useQuery({ ...seriesQuery(run, [name]), enabled: isThere });
  if (catalog.isError || series.isError) return { points: [], state: "failed" };
  const isRead = catalog.isSuccess && (!isThere || series.isSuccess);
  return { points: series.data?.[0]?.points ?? [], state: isRead ? "read" : "reading" };
}

/** What stands where no line is drawn. */
function absence(metrics: readonly Metric[]): string {
  if (metrics.some(({ state }) => state === "failed")) return ": could not be read";
  return metrics.some(({ state }) => state === "reading") ? "" : ": neither run has it";
}

function Overlay({ name, a, b }: { name: string; a: RunInfo; b: RunInfo }) {
  const [element, width] = useWidth<HTMLElement>();
  const metrics = [useMetric(a.id, name), useMetric(b.id, name)];
  const lines = metrics.map(({ points }) => points);
  const all = lines.flat();
  const values = all.flatMap(([, value]) => (value === null ? [] : [value]));
  const steps = all.map(([step]) => step);
  const range = paddedRange(values);
  const x = stepX({ width, height: HEIGHT, left: LEFT }, Math.min(...steps), Math.max(...steps));
  const y = (value: number): number => HEIGHT - 4 - place(value, range, HEIGHT - 8);
  const [, title] = name.split("/");
  return (
    <figure ref={element} className={styles.figure}>
      <figcaption>
        {title?.replaceAll("_", " ")} <small>mean, train{values.length === 0 ? absence(metrics) : ""}</small>
      </figcaption>
      {values.length === 0 && metrics.some(({ state }) => state === "reading") && <div style={{ height: ROOM }} />}
      {values.length > 0 && width > 0 && (
        <>
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`${title} of both runs, ${formatValue(Math.min(...values))} to ${formatValue(Math.max(...values))}`}
          >
            {ticks(range, 3).map((tick) => (
              <g key={tick}>
                <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                <text x={LEFT - 5} y={y(tick) + 3.5} textAnchor="end">
                  {formatValue(tick)}
                </text>
              </g>
            ))}
            {lines.map((points, nth) => {
              const smooth = smoothed(
                points.map(([, value]) => value),
                DEFAULT_SPAN,
              );
              return (
                <g key={nth === 0 ? "a" : "b"} data-side={nth === 0 ? "a" : "b"}>
                  <path data-raw={smooth && ""} d={linePath(points, y, x)} />
                  {smooth && (
                    <path
                      d={linePath(
                        points.map(([step], at) => [step, smooth[at] ?? null]),
                        y,
                        x,
                      )}
                    />
                  )}
                </g>
              );
            })}
          </svg>
          <p className={styles.axis} style={{ paddingLeft: LEFT }}>
            <span>{formatCount(Math.min(...steps))}</span>
            <span>{formatCount(Math.max(...steps))}</span>
          </p>
        </>
      )}
    </figure>
  );
}

function ConfigDifferences({ a, b }: { a: RunInfo; b: RunInfo }) {
  const first = useQuery(runQuery(a.id)).data;
  const second = useQuery(runQuery(b.id)).data;
  if (!first || !second) return <Skeleton lines={4} label="Comparing the configs" />;
  const { differences: rows, keys, left } = compareConfigs(first, second);
  return (
    <section aria-label="Config differences">
      <h2 className={styles.title} title={left.length > 0 ? `Not compared: ${left.join(", ")}` : undefined}>
        Config{" "}
        <small>
          {rows.length === 0
            ? "no key differs"
            : `${formatCount(rows.length)} of ${plural(keys, "key")} ${rows.length === 1 ? "differs" : "differ"}`}
        </small>
      </h2>
      {rows.length > 0 && (
        <table className={page.table}>
          <thead>
            <tr>
              <th>key</th>
              <th>
                <SideMark side="a" />
              </th>
              <th>
                <SideMark side="b" />
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 200).map((row) => (
              <tr key={row.path}>
                <td className={styles.key}>{row.path}</td>
                <td className={styles.value}>{row.here ?? "–"}</td>
                <td className={styles.value}>{row.there ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
