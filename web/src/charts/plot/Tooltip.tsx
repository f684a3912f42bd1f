import { createPortal } from "react-dom";
import { distinctNames } from "../../lib/distinctNames";
import { formatValue } from "../../lib/numbers";
import { nearest } from "../series/series";
import { formatX } from "./axisLabels";
import { binAt, type HeatData } from "./heatMap";
import { type PlotModel, type Reading, readingsAt, stepAt } from "./plotModel";
import styles from "./Tooltip.module.css";

export interface TooltipPlace {
  /** In the window. */
  readonly left: number;
  readonly top: number;
  /** On the axes. */
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

const AWAY = 14;
/** What fits the column of names. */
const NAME_CHARACTERS = 30;
/** Half of a usual tooltip: it keeps this far from the window's top and bottom. */
const HALF = 56;

/** Beside the cursor, towards the middle of the window; placed without measuring, since it moves with every mouse event.
 * Over a chart in a dialog it belongs to the dialog, or it would lie below it. */
export function Tooltip({ model, place, host }: { model: PlotModel; place: TooltipPlace; host: HTMLElement }) {
  const right = place.left < window.innerWidth / 2;
  const top = Math.max(HALF, Math.min(place.top, window.innerHeight - HALF));
  const left = place.left + (right ? AWAY : -AWAY);
  return createPortal(
    <div
      className={styles.tooltip}
      style={{
        transform: `translate(${Math.round(left)}px, ${Math.round(top)}px) translate(${right ? "0" : "-100%"}, -50%)`,
      }}
      aria-hidden="true"
    >
      {model.heat ? (
        <HeatLines data={model.heat.data} step={stepAt(model, place.x)} y={place.y} />
      ) : (
        <ReadingLines model={model} readings={readingsAt(model, place.x, place.reach)} x={place.x} />
      )}
    </div>,
    host.closest("dialog") ?? document.body,
  );
}

function ReadingLines({ model, readings, x }: { model: PlotModel; readings: readonly Reading[]; x: number }) {
  const step = stepAt(model, x);
  const smoothed = model.lines.some(({ line }) => line.smooth);
  const names = distinctNames(
    readings.map(({ run }) => run.name),
    NAME_CHARACTERS,
  );
  return (
    <>
      <p className={styles.head}>
        {step === null ? formatX(x, model.axis) : `step ${formatValue(step)}`}
        {model.axis !== "step" && <span> · {formatX(x, model.axis)}</span>}
      </p>
      {readings.length === 0 && <p className={styles.none}>no value here</p>}
      <table className={styles.readings}>
        <tbody>
          {readings.map(({ run, value, raw, named, isSmooth }, at) => (
            <tr key={run.id}>
              <td className={styles.name}>
                <i style={{ background: `var(${run.colour})` }} />
                {names[at]}
              </td>
              <td className={styles.value}>{value === null ? (named ?? "–") : formatValue(value)}</td>
              {smoothed && (
                <td className={styles.raw}>{isSmooth ? (raw === null ? (named ?? "–") : formatValue(raw)) : ""}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function HeatLines({ data, step, y }: { data: HeatData; step: number | null; y: number }) {
  const place = step === null ? null : nearest(data.steps, step);
  const counts = place === null ? [] : (data.counts[place] ?? []);
  const bin = binAt(data.edges, y);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return (
    <>
      <p className={styles.head}>step {formatValue(step)}</p>
      {bin === null ? (
        <p className={styles.none}>{formatValue(all)} samples</p>
      ) : (
        <p className={styles.value}>
          {formatValue(data.edges[bin])} … {formatValue(data.edges[bin + 1])}: {data.exact === false && "about "}
          {formatValue(counts[bin] ?? 0)} of {formatValue(all)}
          {all > 0 && ` (${Math.round((100 * (counts[bin] ?? 0)) / all)}%)`}
        </p>
      )}
    </>
  );
}

/** The same in words, for screen readers. */
export function tooltipText(model: PlotModel, x: number): string {
  if (model.heat) {
    const place = nearest(model.heat.data.steps, x);
    const counts = place === null ? [] : (model.heat.data.counts[place] ?? []);
    const fullest = counts.indexOf(Math.max(...counts, 0));
    const { edges } = model.heat.data;
    return fullest < 0
      ? "no samples"
      : `most samples in ${formatValue(edges[fullest])} to ${formatValue(edges[fullest + 1])}`;
  }
  const readings = readingsAt(model, x, 0);
  if (readings.length === 0) return "no value";
  return readings
    .map(({ run, value, named }) => `${run.name} ${value === null ? (named ?? "no value") : formatValue(value)}`)
    .join(", ");
}
