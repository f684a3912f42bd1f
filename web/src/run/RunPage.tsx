/** Everything about the run but its samples. */
import { type ReactNode, useId } from "react";
import { useRun } from "../api/hooks";
import type { RunDetails, RunInfo } from "../api/types";
import { formatCount } from "../lib/numbers";
import { usePageParam } from "../state/view";
import { Failure, Skeleton } from "../ui/States";
import { AboutPanel } from "./AboutPanel";
import { ConfigPanel } from "./ConfigPanel";
import { DiffPanel } from "./DiffPanel";
import { ReportsPanel } from "./ReportsPanel";
import styles from "./RunPage.module.css";
import { CheckpointsPanel, FilesPanel, SkippedPanel } from "./TablePanels";

interface Panel {
  readonly id: string;
  readonly title: string;
  readonly count: (details: RunDetails) => number | null;
  readonly draw: (details: RunDetails) => ReactNode;
}

const PANELS: readonly Panel[] = [
  { id: "config", title: "Config", count: () => null, draw: (details) => <ConfigPanel details={details} /> },
  { id: "diff", title: "Code diff", count: () => null, draw: (details) => <DiffPanel text={details.code_diff} /> },
  {
    id: "checkpoints",
    title: "Checkpoints",
    count: (details) => details.checkpoints.length,
    draw: (details) => <CheckpointsPanel checkpoints={details.checkpoints} />,
  },
  {
    id: "reports",
    title: "Reports",
    count: (details) => details.reports.length,
    draw: (details) => <ReportsPanel details={details} />,
  },
  {
    id: "files",
    title: "Files",
    count: (details) => details.files_total,
    draw: (details) => <FilesPanel details={details} />,
  },
  {
    id: "skipped",
    title: "Skipped lines",
    count: (details) => details.skipped_total,
    draw: (details) => <SkippedPanel skipped={details.skipped} total={details.skipped_total} />,
  },
  { id: "about", title: "About", count: () => null, draw: (details) => <AboutPanel details={details} /> },
];

export default function RunPage({ run }: { run: RunInfo }) {
  const { data: details, error, isError, refetch } = useRun(run.id);
  const [part, choose] = usePageParam("part", "config");
  const panel = PANELS.find(({ id }) => id === part) ?? (PANELS[0] as Panel);
  const id = useId();
  return (
    <section className={styles.page} aria-label="Run">
      <h1 className="visually-hidden">Run {run.name}</h1>
      <div className={styles.tabs} role="tablist" aria-label="About the run" aria-orientation="vertical">
        {PANELS.map((entry) => {
          const count = details ? entry.count(details) : null;
          return (
            <button
              key={entry.id}
              type="button"
              role="tab"
              id={`${id}-${entry.id}`}
              aria-selected={entry.id === panel.id}
              aria-controls={`${id}-panel`}
              tabIndex={entry.id === panel.id ? 0 : -1}
              onClick={() => choose(entry.id)}
              onKeyDown={(event) => {
                const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
                if (move === undefined) return;
                event.preventDefault();
                const next = PANELS[(PANELS.indexOf(panel) + move + PANELS.length) % PANELS.length] as Panel;
                choose(next.id);
                document.getElementById(`${id}-${next.id}`)?.focus();
              }}
            >
              <span>{entry.title}</span>
              {count !== null && (
                <small data-tone={entry.id === "skipped" && count > 0 ? "warn" : undefined}>{formatCount(count)}</small>
              )}
            </button>
          );
        })}
      </div>
      <div className={styles.panel} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${panel.id}`}>
        {details ? (
          panel.draw(details)
        ) : isError ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <div className={styles.loading}>
            <Skeleton lines={8} label="Loading the run" />
          </div>
        )}
      </div>
    </section>
  );
}
