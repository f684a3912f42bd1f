/** Questions people ask most, as two filters. */

import type { RunDetails } from "../api/types";

export interface Preset {
  readonly name: string;
  readonly label: string;
  readonly a: string;
  readonly b: string;
}

/** Best paid against worst paid needs a range of the reward: the upper and lower tenth of what is declared or was seen. */
export function presets(details: RunDetails | undefined, seen: readonly [number, number] | null): Preset[] {
  const declared = details?.ranges["*"]?.reward;
  const low = declared?.min ?? seen?.[0] ?? null;
  const high = declared?.max ?? seen?.[1] ?? null;
  const reach = low !== null && high !== null && high > low ? (high - low) / 10 : null;
  const paid =
    reach === null || low === null || high === null
      ? []
      : [
          {
            name: "paid",
            label: "best against worst paid",
            a: `reward >= ${rounded(high - reach)}`,
            b: `reward <= ${rounded(low + reach)}`,
          },
        ];
  return [
    ...paid,
    { name: "kept", label: "kept against discarded", a: "not discarded", b: "discarded" },
    {
      name: "truncated",
      label: "truncated against completed",
      a: 'status = "truncated"',
      b: 'status = "completed"',
    },
  ];
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
