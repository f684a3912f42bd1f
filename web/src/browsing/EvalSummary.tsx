import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fieldName } from "../api/fields";
import { seriesQuery, useCatalog } from "../api/hooks";
import type { Series, SeriesInfo } from "../api/types";
import { formatReward, plural } from "../lib/numbers";
import { primaryField } from "../state/selection";
import styles from "./EvalSummary.module.css";
import { curvePath, xOf } from "./steps/stepCurve";
import type { Browser } from "./useBrowser";

/** The eval set over its steps: the mean outcome and pass@k, at this step and as curves. */
export function EvalSummary({ browser }: { browser: Browser }) {
  const { run, split, step, details } = browser;
  const { data: catalog } = useCatalog(run?.id ?? null);
  const field = primaryField(step, details?.fields ?? []);
  const wanted = useMemo(() => summarySeries(catalog ?? [], split ?? "", field), [catalog, split, field]);
  const names = wanted.map(({ name }) => name);
  const { data: series } = useQuery({
    ...seriesQuery(run?.id ?? "", names),
    enabled: run !== null && names.length > 0,
  });
  return (
    <section className={styles.summary} aria-label="Eval summary" tabIndex={wanted.length > 4 ? 0 : undefined}>
      <span className={styles.what}>
        <b>{split}</b>
        {step && (
          <span>
            step {step.step} · {plural(step.groups, "problem")} · {plural(step.samples, "completion")}
          </span>
        )}
      </span>
      {wanted.map(({ name, label, isShare }) => {
        const curve = series?.find((each) => each.name === name);
        return curve && step && <Curve key={name} label={label} isShare={isShare} series={curve} step={step.step} />;
      })}
      {wanted.some(({ isShare }) => isShare) && (
        <small className={styles.passes} title={WHAT_PASSES}>
          Pass: verdict (correct, acc, …) above 0; if none, a 0/1 reward of 1
        </small>
      )}
    </section>
  );
}

interface Wanted {
  name: string;
  label: string;
  /** A probability, shown in percent. */
  isShare: boolean;
}

/** The mean of the outcome, then pass@1, pass@2, … as the engine derives them. */
function summarySeries(catalog: readonly SeriesInfo[], split: string, field: string): Wanted[] {
  const own = catalog.filter((entry) => entry.split === split && entry.origin === "derived");
  const mean = own.find((entry) => entry.field === field && entry.name.endsWith("/mean"));
  const passes = own.flatMap(({ name }) => {
    const k = /\/pass@(\d+)$/.exec(name)?.[1];
    return k ? [{ name, label: `pass@${k}`, isShare: true, k: Number(k) }] : [];
  });
  return [
    ...(mean ? [{ name: mean.name, label: `mean ${fieldName(field)}`, isShare: false }] : []),
    ...passes.sort((a, b) => a.k - b.k),
  ];
}

const WHAT_PASSES =
  "A completion passes when its verdict (correct, acc, …) is above 0; without one, when its reward is 1 and all are 0 or 1.";
const WIDTH = 64;
const HEIGHT = 22;

function Curve({ label, isShare, series, step }: { label: string; isShare: boolean; series: Series; step: number }) {
  const points = series.points.map(([at, value]) => ({ step: at, value }));
  const index = points.findIndex((point) => point.step === step);
  const value = points[index]?.value ?? null;
  const text = value === null ? "–" : isShare ? `${(100 * value).toFixed(1)}%` : formatReward(value);
  return (
    <div
      className={styles.curve}
      title={isShare ? `${label}: unbiased estimator, mean over problems. ${WHAT_PASSES}` : label}
    >
      <span>
        <small>{label}</small>
        <b>{text}</b>
      </span>
      <svg width={WIDTH} height={HEIGHT} role="img" aria-label={`${label} over ${points.length} steps`}>
        <path d={curvePath(points, WIDTH, HEIGHT)} />
        {index >= 0 && <rect x={xOf(index, points.length, WIDTH) - 0.75} width={1.5} height={HEIGHT} />}
      </svg>
    </div>
  );
}
