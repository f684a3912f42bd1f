/** Every metric of the run as a chart: the whole catalog, or a dashboard of one's own. */
import { useCallback } from "react";
import type { RunInfo } from "../api/types";
import { ChartsProvider } from "../charts/ChartsContext";
import { useChartView } from "../charts/chartView";
import { useChartRuns } from "../charts/series/useChartRuns";
import { usePlots } from "../charts/series/usePlots";
import { go, usePageParam, useView } from "../state/view";
import { AllMetrics } from "./AllMetrics";
import { DashboardView } from "./DashboardView";

export default function MetricsPage({ run }: { run: RunInfo }) {
  const { step } = useView();
  const runs = useChartRuns();
  const [view, onView] = useChartView();
  const catalog = usePlots(runs);
  const [dashboard] = usePageParam("dashboard");
  const openStep = useCallback((next: number) => go({ page: "rollouts", step: next }), []);
  const lastStep = run.splits.find(({ split }) => split === "train")?.last_step ?? null;
  const shared = { catalog, view, onView };
  return (
    <ChartsProvider runs={runs} view={view} step={step === "latest" ? lastStep : step} openStep={openStep}>
      {dashboard === "" ? <AllMetrics {...shared} /> : <DashboardView key={dashboard} name={dashboard} {...shared} />}
    </ChartsProvider>
  );
}
