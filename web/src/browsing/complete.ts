/** What could come next in a filter: fields, operators, values. Knows the shape of a condition; which words there are comes
 * from the server, which also parses and says what is wrong. */

import type { Vocabulary, VocabularyField } from "../api/types";
import { fieldText, quoted } from "../state/conditions";

export interface FilterWords {
  /** Field → what may stand behind it. */
  operators: ReadonlyMap<string, readonly string[]>;
  /** Operator → what it takes. */
  operands: ReadonlyMap<string, string>;
  /** Known values of text fields. */
  values: Readonly<Record<string, readonly string[]>>;
  joiners: readonly string[];
  negation: string;
}

export interface Completion {
  /** The stretch of text that a choice replaces. */
  from: number;
  to: number;
  options: readonly string[];
}

/** The words for one run: the fields every run may have, and those it brought along (`metrics.correct`). */
export function filterWords(
  vocabulary: Vocabulary,
  own: readonly string[],
  values: Readonly<Record<string, readonly string[]>>,
): FilterWords {
  const asked = vocabulary.fields.filter((field) => field.operators.length > 0);
  const brought = own.flatMap((name) => {
    const space = vocabulary.spaces.find(({ prefix }) => name.startsWith(prefix));
    return space ? [[fieldText(name), space.operators] as const] : [];
  });
  const first = (field: VocabularyField): boolean => field.kind === "score" || field.kind === "signed";
  const ordered = [...asked.filter(first), ...asked.filter((field) => !first(field))];
  return {
    operators: new Map([...ordered.map((field) => [field.name, field.operators] as const), ...brought]),
    operands: new Map(vocabulary.operators.map(({ word, operand }) => [word, operand])),
    values: { ...Object.fromEntries(asked.map(({ name, values: always }) => [name, always ?? []])), ...values },
    joiners: vocabulary.joiners,
    negation: vocabulary.negation,
  };
}

const TOKEN =
  /(?:metrics|rewards)\."(?:[^"\\]|\\.)*"?|"(?:[^"\\]|\\.)*"?|\/(?:[^/\\]|\\.)*\/?[a-z]*|[<>=!]+|[(),]|[^\s()<>=!,"]+/g;
const SHOWN = 12;

/** Completions at the caret. Inside a finished word nothing is offered until a letter asks for it. */
export function complete(text: string, caret: number, words: FilterWords): Completion {
  const before = [...text.slice(0, caret).matchAll(TOKEN)];
  const last = before.at(-1);
  // A word is being typed; a sign (an operator, a bracket) is finished as soon as it is there.
  const isWord = last && last.index + last[0].length === caret && !/^(?:[(),]|[<>=!]*=|[<>])$/.test(last[0]);
  const typing = isWord ? last : undefined;
  const done = (typing ? before.slice(0, -1) : before).map(([token]) => token);
  const from = typing?.index ?? caret;
  const word = typing?.[0] ?? "";
  const needle = word.replace(/^"/, "").toLowerCase();
  const options = expected(done, words)
    .filter((option) => option.toLowerCase().includes(needle) && option !== word)
    .sort((a, b) => rank(a, needle) - rank(b, needle))
    .slice(0, SHOWN);
  return { from, to: caret, options };
}

function rank(option: string, needle: string): number {
  const at = option.toLowerCase().replace(/^"/, "").indexOf(needle);
  return at === 0 ? 0 : /[._]/.test(option[at - 1] ?? "") ? 1 : 2;
}

/** What the grammar expects behind these tokens. */
function expected(done: readonly string[], words: FilterWords): readonly string[] {
  let place: "field" | "operator" | "value" | "list" | "joiner" = "field";
  let field = "";
  let operator = "";
  const operators = (): readonly string[] => words.operators.get(field) ?? [];
  for (const token of done) {
    if (place === "operator") {
      const longer = operator ? `${operator} ${token}` : token;
      if (operators().some((known) => known === longer || known.startsWith(`${longer} `))) {
        operator = longer;
        if (operators().includes(longer) && !operators().some((known) => known.startsWith(`${longer} `))) {
          place = placeAfter(words.operands.get(longer));
        }
        continue;
      }
      place = operators().includes(operator) ? placeAfter(words.operands.get(operator)) : "joiner";
    }
    if (place === "field") {
      if (token === "(" || token === words.negation) continue;
      field = token;
      operator = "";
      place = "operator";
    } else if (place === "value") place = "joiner";
    else if (place === "list") place = token === ")" ? "joiner" : "list";
    else if (words.joiners.includes(token)) place = "field";
  }
  if (place === "field") return [...words.operators.keys(), words.negation];
  if (place === "operator") {
    if (!operator) return operators();
    return operators().flatMap((known) => (known.startsWith(`${operator} `) ? [known.slice(operator.length + 1)] : []));
  }
  if (place === "list" && done.at(-1) !== "(" && done.at(-1) !== ",")
    return done.at(-1) === operator.split(" ").at(-1) ? ["("] : [",", ")"];
  if (place === "value" || place === "list") return (words.values[field] ?? []).map(quoted);
  return words.joiners;
}

function placeAfter(operand: string | undefined): "value" | "list" | "joiner" {
  return operand === "values" ? "list" : operand === "nothing" ? "joiner" : "value";
}

/** The text after a choice, and where the caret goes. */
export function accept(text: string, { from, to }: Completion, option: string): { text: string; caret: number } {
  const before = /[\s(]$/.test(text.slice(0, from)) || from === 0 ? "" : " ";
  const inserted = before + (option === "(" ? option : `${option} `);
  const rest = text.slice(to).replace(/^ /, "");
  return { text: text.slice(0, from) + inserted + rest, caret: from + inserted.length };
}
