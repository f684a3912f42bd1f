/** What a page of samples shows now: the run, split and step behind the URL, or why there is none. */

import { useMemo } from "react";
import { useRun, useRuns, useSteps } from "../api/hooks";
import { useProgress } from "../api/live";
import type { Progress, RunDetails, RunInfo, SplitInfo, StepRow } from "../api/types";
import { chooseRun, chooseSplit, chooseStep, type PageQuery, stepsOf } from "../state/selection";
import { useViewPart } from "../state/view";

export interface Browser {
  query: PageQuery;
  run: RunInfo | null;
  details: RunDetails | null;
  splits: SplitInfo[];
  split: string | null;
  /** Steps that hold something for this page, and all there are. */
  steps: StepRow[];
  allSteps: StepRow[];
  step: StepRow | null;
  following: boolean;
  loading: boolean;
  /** How far indexing is while there is something left to read; null when all is read. */
  reading: Progress | null;
  error: unknown;
  retry: () => void;
}

const NO_STEPS: StepRow[] = [];

export function useBrowser(query: PageQuery): Browser {
  const wantedRun = useViewPart("run");
  const wantedSplit = useViewPart("split");
  const wantedStep = useViewPart("step");
  const runs = useRuns();
  const run = useMemo(() => (runs.data ? chooseRun(runs.data, wantedRun) : null), [runs.data, wantedRun]);
  const details = useRun(run?.id ?? null);
  const splits = useMemo(() => (run ? query.splits(run.splits) : []), [run, query]);
  const split = chooseSplit(splits, wantedSplit);
  const list = useSteps(run?.id ?? null, split);
  // While another split's steps load, the old ones must not be taken for its own.
  const answered = list.data && list.data.split === split ? list.data.steps : undefined;
  const steps = useMemo(() => (answered ? stepsOf(query, answered) : []), [answered, query]);
  const chosen = chooseStep(steps, wantedStep, answered);
  const step = useMemo(() => steps.find((row) => row.step === chosen) ?? null, [steps, chosen]);
  const heard = useProgress(run?.id ?? null);
  const progress = heard ?? run?.progress ?? null;
  const found: Omit<Browser, "retry"> = {
    query,
    run,
    details: details.data ?? null,
    splits,
    split,
    steps,
    allSteps: answered ?? NO_STEPS,
    step,
    following: wantedStep === "latest",
    loading: runs.isPending || (split !== null && answered === undefined && !list.isError),
    reading: progress && !progress.done ? progress : null,
    error: runs.error ?? list.error ?? null,
  };
  const again = [runs.refetch, list.refetch] as const;
  // The same things found are the same object: the list is drawn again when it changes, not with every sample.
  // biome-ignore lint/correctness/useExhaustiveDependencies: its own values are what it depends on.
  return useMemo(
    () => ({ ...found, retry: () => void Promise.all(again.map((refetch) => refetch())) }),
    [...Object.values(found), ...again],
  );
}
