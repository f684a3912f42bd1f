/** Every metric of the run as a chart: the whole catalog, or a dashboard of one's own. */
import { useCallback } from "react";
import { go, usePageParam, useView } from "../app/view";
import { ChartsProvider } from "../charts/ChartsContext";
import { useChartView } from "../charts/chartView";
import { useChartRuns } from "../charts/useChartRuns";
import { usePlots } from "../charts/usePlots";
import { AllMetrics } from "../metrics/AllMetrics";
import { DashboardView } from "../metrics/DashboardView";

export default function MetricsPage() {
  const { step } = useView();
  const { runs, open } = useChartRuns();
  const [view, onView] = useChartView();
  const catalog = usePlots(runs);
  const [dashboard] = usePageParam("dashboard");
  const openStep = useCallback((next: number) => go({ page: "rollouts", step: next }), []);
  const lastStep = open?.splits.find(({ split }) => split === "train")?.last_step ?? null;
  const shared = { catalog, view, onView };
  return (
    <ChartsProvider runs={runs} view={view} step={step === "latest" ? lastStep : step} openStep={openStep}>
      {dashboard === "" ? <AllMetrics {...shared} /> : <DashboardView key={dashboard} name={dashboard} {...shared} />}
    </ChartsProvider>
  );
}
