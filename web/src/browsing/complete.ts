/** What could come next in a filter: fields, operators, values. Knows the shape of the language, not its grammar:
 * the server parses, and says what is wrong. */

export interface Vocabulary {
  /** Numeric and text fields: "reward", "metrics.correct", "status", … */
  fields: readonly string[];
  /** Known values of text fields. */
  values: Readonly<Record<string, readonly string[]>>;
}

export interface Completion {
  /** The stretch of text that a choice replaces. */
  from: number;
  to: number;
  options: readonly string[];
}

export const TEXT_FIELDS = [
  "status",
  "env",
  "dataset",
  "stop_reason",
  "discard_reason",
  "tags",
  "prompt",
  "response",
  "text",
];
export const NUMBER_FIELDS = [
  "reward",
  "advantage",
  "completion_tokens",
  "prompt_tokens",
  "total_tokens",
  "turns",
  "staleness",
  "sampling_step",
  "index",
  "group",
];

const COMPARISONS = ["=", "!=", "<", "<=", ">", ">="];
const TEXT_OPERATORS = ["=", "!=", "contains", "matches", "in", "is missing"];
const NUMBER_OPERATORS = [...COMPARISONS, "in", "is missing", "is present"];
const JOINERS = ["and", "or"];

const TOKEN = /"(?:[^"\\]|\\.)*"?|\/(?:[^/\\]|\\.)*\/?[a-z]*|[<>=!]+|[(),]|[^\s()<>=!,"]+/g;

/** Completions at the caret. Inside a finished word nothing is offered until a letter asks for it. */
export function complete(text: string, caret: number, { fields, values }: Vocabulary): Completion {
  const before = [...text.slice(0, caret).matchAll(TOKEN)];
  const last = before.at(-1);
  // A word is being typed; a sign (an operator, a bracket) is finished as soon as it is there.
  const isWord = last && last.index + last[0].length === caret && !/^(?:[(),]|[<>=!]*=|[<>])$/.test(last[0]);
  const typing = isWord ? last : undefined;
  const done = (typing ? before.slice(0, -1) : before).map(([token]) => token);
  const from = typing?.index ?? caret;
  const word = typing?.[0] ?? "";
  const offered = expected(done, fields, values);
  const needle = word.replace(/^"/, "").toLowerCase();
  const options = offered
    .filter((option) => option.toLowerCase().includes(needle) && option !== word)
    .sort((a, b) => rank(a, needle) - rank(b, needle))
    .slice(0, 12);
  return { from, to: caret, options };
}

function rank(option: string, needle: string): number {
  const at = option.toLowerCase().replace(/^"/, "").indexOf(needle);
  return at === 0 ? 0 : /[._]/.test(option[at - 1] ?? "") ? 1 : 2;
}

function expected(done: readonly string[], fields: readonly string[], values: Vocabulary["values"]): readonly string[] {
  const last = done.at(-1);
  const field = done.at(-2);
  if (last === undefined || ["(", "and", "or", "not"].includes(last)) {
    // After "in (" come values, not fields.
    const listed = last === "(" && field === "in" ? done.at(-3) : undefined;
    return listed ? valuesOf(listed, values) : [...fields, "not"];
  }
  if (fields.includes(last)) return TEXT_FIELDS.includes(last) ? TEXT_OPERATORS : NUMBER_OPERATORS;
  if (field !== undefined && fields.includes(field)) {
    if (COMPARISONS.includes(last) || last === "contains") return valuesOf(field, values);
    if (last === "in") return ["("];
    if (last === "is") return ["missing", "present"];
  }
  return JOINERS;
}

function valuesOf(field: string, values: Vocabulary["values"]): readonly string[] {
  return (values[field] ?? []).map((value) => JSON.stringify(value));
}

/** The text after a choice, and where the caret goes. */
export function accept(text: string, { from, to }: Completion, option: string): { text: string; caret: number } {
  const before = /[\s(]$/.test(text.slice(0, from)) || from === 0 ? "" : " ";
  const inserted = before + (option === "(" ? option : `${option} `);
  const rest = text.slice(to).replace(/^ /, "");
  return { text: text.slice(0, from) + inserted + rest, caret: from + inserted.length };
}
