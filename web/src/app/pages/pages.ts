/** The pages, by name. Those with charts only load when first opened. */

import { type ComponentType, lazy } from "react";
import DiscardedPage from "../pages/Discarded";
import EvalsPage from "../pages/Evals";
import RolloutsPage from "../pages/Rollouts";
import type { PageName } from "./url";

export const PAGE_COMPONENTS: Record<PageName, ComponentType> = {
  rollouts: RolloutsPage,
  discarded: DiscardedPage,
  evals: EvalsPage,
  metrics: lazy(() => import("../pages/Metrics")),
  run: lazy(() => import("../pages/Run")),
  search: lazy(() => import("../pages/Search")),
};

export const TABS: readonly { page: PageName; label: string }[] = [
  { page: "rollouts", label: "Rollouts" },
  { page: "discarded", label: "Discarded" },
  { page: "evals", label: "Evals" },
  { page: "metrics", label: "Metrics" },
  { page: "run", label: "Run" },
];
