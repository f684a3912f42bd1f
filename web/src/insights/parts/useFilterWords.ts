import { useMemo } from "react";
import { vocabulary } from "../../api/fields";
import { useRun } from "../../api/hooks";
import { type FilterWords, filterWords } from "../../browsing/complete";

/** What may stand in a filter of this run's samples. */
export function useFilterWords(run: string): FilterWords {
  const { data } = useRun(run);
  return useMemo(() => filterWords(vocabulary(), data?.fields ?? [], { env: data?.envs ?? [] }), [data]);
}
