/** Questions people ask most, as two filters. */

import type { RunDetails } from "../../api/types";
import { quoted } from "../../state/conditions";

interface Preset {
  readonly name: string;
  readonly label: string;
  readonly a: string;
  readonly b: string;
  /** Why it cannot be asked of this run; null where it can. */
  readonly missing: string | null;
}

interface PresetData {
  readonly details: RunDetails | undefined;
  /** The least and the highest reward seen. */
  readonly rewards: readonly [number, number] | null;
  readonly discarded: number;
  /** How many steps have samples. */
  readonly steps: number;
}

/** Environments that have a button of their own. */
const MOST_ENVS = 4;

/** Best against worst paid needs a range of the reward: the upper and lower tenth of what is declared or was seen. Of a run
 * of several environments it is asked of each: over all of them the easy ones would stand against the hard ones. */
function paid({ details, rewards }: PresetData): Preset[] {
  const envs = (details?.envs.length ?? 0) > 1 ? details?.envs.slice(0, MOST_ENVS) : undefined;
  return (envs ?? [null]).map((env) => {
    const declared = details?.ranges[env ?? "*"]?.reward ?? details?.ranges["*"]?.reward;
    const low = declared?.min ?? rewards?.[0] ?? null;
    const high = declared?.max ?? rewards?.[1] ?? null;
    const isPaid = low !== null && high !== null && high > low;
    const reach = isPaid ? (high - low) / 10 : 0;
    const within = env === null ? "" : `env = ${quoted(env)} and `;
    return {
      name: env === null ? "paid" : `paid:${env}`,
      label: env === null ? "best against worst paid" : `best against worst paid in ${env}`,
      a: isPaid ? `${within}reward >= ${rounded(high - reach)}` : "",
      b: isPaid ? `${within}reward <= ${rounded(low + reach)}` : "",
      missing: isPaid ? null : "all rewards are the same, or there are none",
    };
  });
}

export function presets(data: PresetData): Preset[] {
  const { discarded, steps } = data;
  return [
    ...paid(data),
    {
      name: "changes",
      label: "last against first steps",
      a: "",
      b: "",
      missing: steps > 1 ? null : "there is only one step",
    },
    {
      name: "kept",
      label: "kept against discarded",
      a: "not discarded",
      b: "discarded",
      missing: discarded > 0 ? null : "no sample was discarded",
    },
    {
      name: "truncated",
      label: "truncated against completed",
      a: 'status = "truncated"',
      b: 'status = "completed"',
      missing: null,
    },
  ];
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
