import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { getJson, runPath } from "../api/client";
import type { Report as ReportAnswer, RunDetails } from "../api/types";
import { formatCount } from "../lib/numbers";
import { usePageParam } from "../state/view";
import { SearchBox } from "../ui/menus/SearchBox";
import { Empty, Failure, Skeleton } from "../ui/States";
import { VirtualRows } from "../ui/VirtualRows";
import styles from "./ReportsPanel.module.css";
import { Report } from "./report/Report";

const ROW = 26;

/** The logtree reports the trainer wrote, one at a time. */
export function ReportsPanel({ details }: { details: RunDetails }) {
  const { reports, escaped_reports, info } = details;
  const [chosen, choose] = usePageParam("report");
  const [query, setQuery] = useState("");
  const shown = useMemo(
    () => reports.filter((path) => path.toLowerCase().includes(query.trim().toLowerCase())),
    [reports, query],
  );
  const path = chosen || reports[0] || "";
  if (reports.length === 0) {
    return (
      <Empty title="No reports">Runs recorded with Rollscope or Tinker write a logtree report per iteration.</Empty>
    );
  }
  return (
    <div className={styles.panel}>
      <nav className={styles.list} aria-label="Reports">
        <div className={styles.search}>
          <SearchBox label={`Search ${formatCount(reports.length)} reports`} value={query} onChange={setQuery} />
        </div>
        <VirtualRows count={shown.length} rowHeight={ROW} label="Reports">
          {(place) => {
            const name = shown[place] as string;
            return (
              <button
                type="button"
                className={styles.entry}
                aria-current={name === path ? "true" : undefined}
                title={name}
                onClick={() => choose(name)}
              >
                {name.replace(/_logtree\.json$/, "")}
              </button>
            );
          }}
        </VirtualRows>
      </nav>
      <OpenReport run={info.id} path={path} escaped={escaped_reports} />
    </div>
  );
}

function OpenReport({ run, path, escaped }: { run: string; path: string; escaped: boolean }) {
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ["run", run, "report", path],
    queryFn: ({ signal }) => getJson<ReportAnswer>(runPath(run, "report"), { path }, signal),
    structuralSharing: false,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable for the keyboard to scroll it.
    <section className={styles.report} tabIndex={0} aria-label="Report">
      {isLoading && <Skeleton lines={8} label="Loading the report" />}
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <Report key={path} report={data} escaped={escaped} />}
    </section>
  );
}
