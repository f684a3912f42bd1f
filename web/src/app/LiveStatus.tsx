import { useRuns, useSteps } from "../api/hooks";
import { useConnection, useProgress } from "../api/live";
import { formatSeconds } from "../lib/numbers";
import { chooseRun, chooseSplit, fillingText } from "../state/selection";
import { useViewPart } from "../state/view";
import styles from "./LiveStatus.module.css";

/** What is going on right now: the server is gone, files are being indexed, the newest step is filling, the run is live. */
export function LiveStatus() {
  const wantedRun = useViewPart("run");
  const wantedSplit = useViewPart("split");
  const connection = useConnection();
  const { data: runs } = useRuns();
  const run = runs ? chooseRun(runs, wantedRun) : null;
  const split = run ? chooseSplit(run.splits, wantedSplit) : null;
  const { data: steps } = useSteps(run?.id ?? null, split);
  const heard = useProgress(run?.id ?? null);
  const progress = heard ?? run?.progress ?? null;
  const isLive = run?.state === "live";
  const filling = steps ? fillingText(steps.steps, isLive) : null;
  if (connection === "lost") return <Status tone="bad" text="server lost, trying again" />;
  if (progress && !progress.done) {
    const percent = progress.bytes_total ? Math.floor((100 * progress.bytes_done) / progress.bytes_total) : 0;
    const left =
      progress.seconds_left == null || progress.seconds_left < 1
        ? ""
        : ` · ${formatSeconds(progress.seconds_left)} left`;
    return <Status tone="busy" text={`indexing ${percent}%${left}`} share={percent / 100} />;
  }
  if (isLive && filling) return <Status tone="live" text={filling} />;
  if (isLive) return <Status tone="live" text="live" />;
  return null;
}

function Status({ tone, text, share }: { tone: "live" | "busy" | "bad"; text: string; share?: number }) {
  return (
    <span className={styles.status} data-tone={tone} role="status">
      <i />
      {text}
      {share !== undefined && <progress className={styles.progress} value={share} aria-label="Indexing" />}
    </span>
  );
}
