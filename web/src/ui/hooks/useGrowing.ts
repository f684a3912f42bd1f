import { startTransition, useEffect, useState } from "react";
import { whenIdle } from "../../lib/idle";

/** What is drawn at once, more than a window holds, and what follows in each idle moment. */
const FIRST = 60;
const MORE = 24;

/** How many of many things are drawn: the first at once, the others while nobody waits. `key` names what they are of;
 * `isWhole`: all are needed now. */
export function useGrowing(total: number, key: string, isWhole: boolean): number {
  const [grown, setGrown] = useState({ key, count: FIRST });
  const reached = grown.key === key ? grown.count : FIRST;
  const count = isWhole ? total : Math.min(total, reached);
  useEffect(() => {
    if (isWhole && reached < total) setGrown({ key, count: total });
    if (count >= total) return;
    return whenIdle(() => startTransition(() => setGrown({ key, count: count + MORE })));
  }, [count, total, key, isWhole, reached]);
  return count;
}
