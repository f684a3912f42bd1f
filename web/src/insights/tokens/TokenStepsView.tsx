/** How trainer and sampler agree (or entropy, or log-probabilities spread) over the steps and along the response. */
import { useQuery } from "@tanstack/react-query";
import { tokenStepsQuery } from "../../api/insights";
import type { RunInfo, StepTokens, TokenSteps } from "../../api/types";
import { formatCount, formatValue, plural } from "../../lib/numbers";
import { chooseSplit } from "../../state/selection";
import { pageOfSplit } from "../../state/url";
import { go, useView } from "../../state/view";
import { useWidth } from "../../ui/hooks/useWidth";
import { MenuItem } from "../../ui/menus/Menu";
import { Popover } from "../../ui/menus/Popover";
import { Empty, Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { CopyCommand, options } from "../parts/CopyCommand";
import { linePath } from "../parts/rateGeometry";
import styles from "./TokenStepsView.module.css";
import { FAR, gridRows, namedPlaces, quantileAxis, shade, type TokenValue, VALUES } from "./tokenGrid";

const LEFT = 92;
const HEIGHT = 150;
const CELL = 16;
/** Room for the number of a step. */
const STEP_LABEL = 64;

export function TokenStepsView({ run }: { run: RunInfo }) {
  const { other, split, where } = useView();
  const value = (other.value && other.value in VALUES ? other.value : "log_ratio") as TokenValue;
  const of = chooseSplit(run.splits, split) ?? "train";
  const { data, error, isFetching, refetch } = useQuery(tokenStepsQuery(run.id, of, where, value));
  return (
    <>
      <div className={page.bar}>
        <Popover label="Of what" button={{ children: VALUES[value], opens: true }}>
          {(close) =>
            Object.entries(VALUES).map(([name, title]) => (
              <MenuItem
                key={name}
                chosen={name === value}
                onClick={() => {
                  close();
                  go({ other: { ...other, tab: "tokens", value: name } });
                }}
              >
                {title}
              </MenuItem>
            ))
          }
        </Popover>
        {run.splits.length > 1 && (
          <Popover label="Split" button={{ children: `split ${of}`, opens: true }}>
            {(close) =>
              run.splits.map(({ split: name }) => (
                <MenuItem
                  key={name}
                  chosen={name === of}
                  onClick={() => {
                    close();
                    go({ split: name, other });
                  }}
                >
                  {name}
                </MenuItem>
              ))
            }
          </Popover>
        )}
        <span className={page.end}>
          <CopyCommand run={run.id} name="tokens" words={options({ split: of, value, where })} />
        </span>
      </div>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data || isFetching ? (
        <div className={page.reading}>
          <p className={page.say} role="status">
            Reading tokens of all steps…
          </p>
          <Skeleton lines={8} label="Reading tokens" />
        </div>
      ) : data.steps.length === 0 ? (
        <Empty icon="scatter" title="This cannot be known">
          <p>{data.notes.join(" ") || `No sample of ${of} has it.`}</p>
        </Empty>
      ) : (
        <Quantiles answer={data} value={value} />
      )}
    </>
  );
}

function Quantiles({ answer, value }: { answer: TokenSteps; value: TokenValue }) {
  const [element, width] = useWidth<HTMLDivElement>();
  const { steps, notes, read, known, split } = answer;
  const { low, high, ticks, drawn, beyond } = quantileAxis(value, steps);
  const y = (quantile: number): number => HEIGHT - 8 - ((quantile - low) / (high - low)) * (HEIGHT - 26);
  const rows = gridRows(steps);
  // Steps side by side, gaps in their numbers closed: a column of the chart stands above its cells.
  const wide = Math.max(1, (width - LEFT) / Math.max(1, steps.length));
  const x = (nth: number): number => LEFT + (nth + 0.5) * wide;
  const open = (step: number): void =>
    go({ page: pageOfSplit(split), split, step, sort: "-token.ratio", list: "samples", where: "", other: {} });
  return (
    <div className={page.reading}>
      <p className={page.say} role="status">
        Quantiles over the tokens of {plural(known, "sample")}: those of the {formatCount(read)} read that recorded it.
        Masked tokens do not count. {notes.join(" ")}
      </p>
      <div ref={element} className={styles.wide}>
        <h2 className={styles.title}>
          {VALUES[value]} over the steps{" "}
          <small>
            <i data-line="p99" /> p99 <i data-line="p90" /> p90 <i data-line="p50" /> median
            {beyond.length > 0 && (
              <>
                {" "}
                · all far below{" "}
                {beyond.map(({ name, value: bound }) => `${name} (${formatValue(bound)})`).join(" and ")}
              </>
            )}
          </small>
        </h2>
        <div style={{ height: HEIGHT }}>
          {width > 0 && (
            <svg width={width} height={HEIGHT} role="img" aria-label={`quantiles over ${plural(steps.length, "step")}`}>
              {ticks.map((tick) => (
                <g key={tick}>
                  <line className={styles.grid} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                  <text x={LEFT - 8} y={y(tick) + 3.5} textAnchor="end">
                    {formatValue(tick)}
                  </text>
                </g>
              ))}
              {drawn.map(({ name, value: bound }) => (
                <g key={name}>
                  <line className={styles.bound} x1={LEFT} x2={width} y1={y(bound)} y2={y(bound)} />
                  <text x={width} y={y(bound) - 4} textAnchor="end">
                    {name}
                  </text>
                </g>
              ))}
              {(["p50", "p90", "p99"] as const).map((name) => (
                <path
                  key={name}
                  data-line={name}
                  d={linePath(
                    steps.map((each, nth) => [nth, each[name]]),
                    y,
                    x,
                  )}
                />
              ))}
              {steps.map(({ step, p50, p90, p99 }, nth) => (
                // biome-ignore lint/a11y/noStaticElementInteractions: Rollouts opens every step by keyboard.
                <rect
                  key={step}
                  className={styles.column}
                  x={LEFT + nth * wide}
                  width={wide}
                  height={HEIGHT}
                  onClick={() => open(step)}
                >
                  <title>{`step ${step}: median ${formatValue(p50)}, p90 ${formatValue(p90)}, p99 ${formatValue(p99)}`}</title>
                </rect>
              ))}
            </svg>
          )}
        </div>
        <h2 className={styles.title}>
          By position{" "}
          <small>
            99th percentile, <i data-scale="" /> 0 to {formatValue(FAR[value])}; a cell opens its step
          </small>
        </h2>
        {width > 0 && (
          <svg
            width={width}
            height={rows.length * CELL + 20}
            role="img"
            aria-label="99th percentile by step and position"
          >
            {rows.map(({ start, end, cells }, row) => (
              <g key={start}>
                <text x={LEFT - 8} y={row * CELL + 12} textAnchor="end">
                  {formatCount(start)}–{formatCount(end - 1)}
                </text>
                {cells.map((cell, nth) => {
                  const step = (steps[nth] as StepTokens).step;
                  return cell ? (
                    // biome-ignore lint/a11y/noStaticElementInteractions: Rollouts opens every step by keyboard.
                    <rect
                      key={step}
                      x={LEFT + nth * wide}
                      y={row * CELL + 1}
                      width={Math.max(1, wide - (wide > 6 ? 1 : 0))}
                      height={CELL - 2}
                      style={{
                        fill: `color-mix(in oklab, var(--token-far) ${Math.round(shade(value, cell.p99) * 100)}%, var(--soft))`,
                      }}
                      onClick={() => open(step)}
                    >
                      <title>{`step ${step}, ${plural(cell.tokens, "token")}: median ${formatValue(cell.p50)}, p90 ${formatValue(cell.p90)}, p99 ${formatValue(cell.p99)}, at most ${formatValue(cell.max)}`}</title>
                    </rect>
                  ) : null;
                })}
              </g>
            ))}
            {namedPlaces(steps.length, (width - LEFT) / STEP_LABEL).map((nth) => (
              <text key={nth} x={x(nth)} y={rows.length * CELL + 15} textAnchor="middle">
                {formatCount((steps[nth] as StepTokens).step)}
              </text>
            ))}
          </svg>
        )}
      </div>
    </div>
  );
}
