/** What came out of a sample, as facts in the order people look for them. DOM-free. */

import type { Sample } from "../../api/types";
import { formatCount, formatReward, formatSigned, formatValue, plural } from "../../lib/numbers";
import { rangeText, type Scale } from "./colourScale";

export interface Fact {
  name: string;
  /** The field it is of; null for words such as the status. */
  field: string | null;
  value: number | null;
  text: string;
  tone?: "bad" | "warn";
  title?: string;
  /** What a click on it asks for. */
  filter?: { field: string; value: string | number | null };
}

/** How many components and metrics stand in the header; all of them are in the table below it. */
export const FACTS_SHOWN = 4;

const BAD_STATUSES = new Set(["truncated", "aborted", "failed"]);

/** A value that JSON has no word for is shown as the source has it: NaN, Infinity. */
export function valueText(sample: Sample, field: string, value: number | null, format = formatValue): string {
  return sample.nonfinite[field] ?? format(value);
}

/** Always in view, each in its place whether the sample has it or not: advantage, status, tokens, staleness; then the
 * first components and metrics. The reward stands apart; a metric of the same name as a component is left to the table. */
export function factsOf(sample: Sample): Fact[] {
  const values = valuesOf(sample);
  const isRepeated = ({ name, field }: Fact): boolean => field === `metrics.${name}` && name in sample.rewards;
  const first = values.filter((fact) => !isRepeated(fact)).slice(0, FACTS_SHOWN);
  return [advantageFact(sample), statusFact(sample), tokensFact(sample), stalenessFact(sample), ...first];
}

function advantageFact(sample: Sample): Fact {
  const text = valueText(sample, "advantage", sample.advantage, formatSigned);
  return {
    name: "advantage",
    field: "advantage",
    value: sample.advantage,
    text,
    title: "within its group",
    filter: { field: "advantage", value: sample.advantage },
  };
}

function statusFact({ status, stop_reason }: Sample): Fact {
  return {
    name: "status",
    field: null,
    value: null,
    text: status ?? "–",
    filter: { field: "status", value: status },
    ...(status && BAD_STATUSES.has(status) ? { tone: "bad" } : {}),
    ...(stop_reason ? { title: `stop reason: ${stop_reason}` } : {}),
  };
}

function stalenessFact({ staleness, sampling_step }: Sample): Fact {
  return {
    name: "staleness",
    field: null,
    value: staleness,
    text: staleness === null ? "–" : plural(staleness, "step"),
    filter: { field: "staleness", value: staleness },
    ...(sampling_step === null ? {} : { title: `sampled by the policy of step ${sampling_step}` }),
  };
}

function tokensFact({ prompt_tokens, completion_tokens, total_tokens }: Sample): Fact {
  const title = `prompt ${formatCount(prompt_tokens)} · completion ${formatCount(completion_tokens)} · total ${formatCount(total_tokens)}`;
  const filter =
    completion_tokens === null
      ? { field: "total_tokens", value: total_tokens }
      : { field: "completion_tokens", value: completion_tokens };
  const text = formatCount(completion_tokens ?? total_tokens);
  return { name: "tokens", field: null, value: null, text, title, filter };
}

/** Reward components and sample metrics, components first. */
export function valuesOf(sample: Sample): Fact[] {
  const components = Object.entries(sample.rewards).map(([name, value]) =>
    fact(sample, `rewards.${name}`, name, value),
  );
  const metrics = Object.entries(sample.metrics).map(([name, value]) => fact(sample, `metrics.${name}`, name, value));
  return [...components, ...metrics];
}

function fact(sample: Sample, field: string, name: string, value: number | null): Fact {
  return { name, field, value, text: valueText(sample, field, value), filter: { field, value } };
}

/** "range 0 … 1 declared"; null where no range is known. */
export function rewardRange(scale: Scale): string | null {
  const text = rangeText(scale, formatShort);
  return text === null ? null : `range ${text}`;
}

/** A whole number without decimals; one of thirty digits as its size. */
const formatShort = (value: number): string => (Number.isSafeInteger(value) ? formatCount(value) : formatReward(value));
