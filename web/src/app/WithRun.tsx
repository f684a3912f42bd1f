import type { ReactNode } from "react";
import { useRuns } from "../api/hooks";
import type { RunInfo } from "../api/types";
import { chooseRun } from "../state/selection";
import { parseView } from "../state/url";
import { currentView, show, useView } from "../state/view";
import { Button } from "../ui/Button";
import { Empty, Failure, Skeleton } from "../ui/States";
import styles from "./WithRun.module.css";

/** A page about the open run: shown once the run is known, else why there is none. */
export function WithRun({ children }: { children: (run: RunInfo) => ReactNode }) {
  const view = useView();
  const { data: runs, error, refetch } = useRuns();
  const run = runs ? chooseRun(runs, view.run) : null;
  if (run) return children(run);
  return (
    <div className={styles.page}>
      {runs ? (
        <NoRun wanted={view.run} />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} label="Loading the runs" />
      )}
    </div>
  );
}

export function NoRun({ wanted }: { wanted: string | null }) {
  return wanted === null ? (
    <Empty icon="search" title="No runs here">
      <p>Nothing under the paths you opened looks like a run. Runs appear here as soon as they are written.</p>
    </Empty>
  ) : (
    <Empty icon="warning" title={`There is no run “${wanted}”`}>
      <p>It may have been moved or renamed. Choose one from the list at the top.</p>
      <p>
        <Button onClick={() => show({ ...parseView(""), page: currentView().page })}>Open the first run</Button>
      </p>
    </Empty>
  );
}
