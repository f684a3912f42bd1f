import { useMemo } from "react";
import { useRuns } from "../../api/hooks";
import { useRunColours } from "../../state/runColours";
import { chooseRun } from "../../state/selection";
import { useViewPart } from "../../state/view";
import type { ChartRun } from "../ChartsContext";

/** The open run and those compared with it, in their colours. Empty until the list of runs is there. */
export function useChartRuns(): readonly ChartRun[] {
  const wanted = useViewPart("run");
  const compare = useViewPart("compare");
  const { data: all } = useRuns();
  const open = useMemo(() => (all ? chooseRun(all, wanted) : null), [all, wanted]);
  const ids = useMemo(() => (open ? [open.id, ...compare.filter((id) => id !== open.id)] : []), [open, compare]);
  const { colourOf } = useRunColours(ids);
  const described = ids.flatMap((id): ChartRun[] => {
    const run = all?.find((candidate) => candidate.id === id);
    return run ? [{ id, name: run.name, colour: colourOf(id) }] : [];
  });
  // The same runs are the same array: charts redraw when it changes.
  const key = JSON.stringify(described);
  return useMemo(() => JSON.parse(key) as ChartRun[], [key]);
}
