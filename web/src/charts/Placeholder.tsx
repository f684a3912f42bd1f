import { Problem } from "../api/client";
import { formatCount } from "../lib/numbers";
import { Button } from "../ui/Button";
import styles from "./Placeholder.module.css";
import type { ViewOptions } from "./series/series";
import type { ChartData } from "./series/useChartData";

interface PlaceholderProps {
  readonly data: ChartData;
  /** Charts far from the window load nothing, and so say nothing. */
  readonly near: boolean;
  readonly height: number;
  readonly view: ViewOptions;
}

/** In the canvas's place, and as tall: why there is no line (yet). */
export function Placeholder({ data, near, height, view }: PlaceholderProps) {
  return (
    <div className={styles.placeholder} style={{ height }}>
      {data.state === "loading" && near && (
        <span role="status" aria-label="Loading">
          <i className={styles.wave} />
        </span>
      )}
      {data.state === "absent" && <p>Not in this run.</p>}
      {data.state === "failed" && (
        <div role="alert">
          <p>{data.error instanceof Problem ? data.error.title : String(data.error)}</p>
          <Button icon="refresh" onClick={data.retry}>
            Try again
          </Button>
        </div>
      )}
      {(data.state === "lines" || data.state === "heat") && <p>{whyEmpty(data, view)}</p>}
    </div>
  );
}

function whyEmpty(data: ChartData, view: ViewOptions): string {
  const untimed = data.state === "lines" && data.lines.some(({ line }) => line.untimed > 0);
  if (untimed) return "These values were logged without a time. Set the x axis to step.";
  if (view.maxStep !== null) return `No values up to step ${formatCount(view.maxStep)}.`;
  return "No values yet.";
}
