import { distinctNames } from "../lib/distinctNames";
import { formatCount, plural } from "../lib/numbers";
import { Icon } from "../ui/Icon";
import { MiddleCut } from "../ui/MiddleCut";
import styles from "./ChartBadges.module.css";
import { useCharts } from "./ChartsContext";
import type { ChartSettings } from "./series/chartSettings";
import { rangeProblem } from "./series/chartSettings";
import type { ChartData } from "./series/useChartData";

interface BadgesProps {
  readonly data: ChartData;
  readonly settings: ChartSettings;
  readonly onSettings: (settings: ChartSettings) => void;
}

/** What this chart leaves out, each with a way to have it back. Nothing is left out silently. */
export function Badges({ data, settings, onSettings }: BadgesProps) {
  const lines = data.state === "lines" ? data.lines : [];
  const outliers = lines.reduce((sum, { line }) => sum + line.outliers, 0);
  const nonPositive = lines.reduce((sum, { line }) => sum + line.nonPositive, 0);
  const problem = rangeProblem(settings);
  const { runs } = useCharts();
  const named = distinctNames(
    runs.map(({ name }) => name),
    Number.POSITIVE_INFINITY,
  );
  return (
    <>
      {data.state === "heat" && runs.length > 1 && (
        <span
          className={`${styles.badge} ${styles.named}`}
          title={`Overlaid distributions of several runs could not be told apart: this is ${data.run.name}.`}
        >
          <MiddleCut text={named[runs.findIndex(({ id }) => id === data.run.id)] ?? data.run.name} /> only
        </span>
      )}
      {outliers > 0 && (
        <Left
          text={`${plural(outliers, "outlier")} hidden`}
          title={`Outside [Q1 − ${settings.k}·IQR, Q3 + ${settings.k}·IQR]: left out of line, smoothing and axis`}
          undo="Show the outliers again"
          onUndo={() => onSettings({ ...settings, ignoreOutliers: false })}
        />
      )}
      {nonPositive > 0 && (
        <Left
          text={`${formatCount(nonPositive)} ≤ 0 hidden`}
          title="A logarithmic axis has no place for zero and negative values"
          undo="Back to a linear axis"
          onUndo={() => onSettings({ ...settings, log: false })}
        />
      )}
      {problem && (
        <Left
          text="range not used"
          title={problem}
          undo="Clear the range"
          onUndo={() => onSettings({ ...settings, yMin: null, yMax: null })}
        />
      )}
    </>
  );
}

function Left({ text, title, undo, onUndo }: { text: string; title: string; undo: string; onUndo: () => void }) {
  return (
    <span className={styles.badge} title={title}>
      {text}
      <button type="button" aria-label={undo} title={undo} onClick={onUndo}>
        <Icon name="close" size={9} />
      </button>
    </span>
  );
}
