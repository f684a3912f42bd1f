/** The pages, by name. Those with charts only load when first opened. */

import { type ComponentType, lazy } from "react";
import type { RunInfo } from "../../api/types";
import type { PageName } from "../../state/url";
import { WithRun } from "../WithRun";
import DiscardedPage from "./DiscardedPage";
import EvalsPage from "./EvalsPage";
import RolloutsPage from "./RolloutsPage";

const ofRun = (Page: ComponentType<{ run: RunInfo }>) =>
  function PageOfRun() {
    return <WithRun>{(run) => <Page run={run} />}</WithRun>;
  };

export const PAGE_COMPONENTS: Record<PageName, ComponentType> = {
  rollouts: RolloutsPage,
  discarded: DiscardedPage,
  evals: EvalsPage,
  insights: ofRun(lazy(() => import("../../insights/InsightsPage"))),
  metrics: ofRun(lazy(() => import("../../dashboards/MetricsPage"))),
  run: ofRun(lazy(() => import("../../run/RunPage"))),
  runs: lazy(() => import("../../runs/RunsPage")),
  search: ofRun(lazy(() => import("../../search/SearchPage"))),
};

export const TABS: readonly { page: PageName; label: string }[] = [
  { page: "rollouts", label: "Rollouts" },
  { page: "discarded", label: "Discarded" },
  { page: "evals", label: "Evals" },
  { page: "insights", label: "Insights" },
  { page: "metrics", label: "Metrics" },
  { page: "run", label: "Run" },
];
