/** Conditions that a click or a brush writes into the filter box: visible there, editable, and in the URL. DOM-free. */

/** What a field is held against: one value, or a stretch of them. */
export type Test = { equals: string | number } | { from: number; to: number; withTo: boolean };

/** The filter with a condition on a field. What it said of that field alone gives way: the last click counts. */
export function withCondition(where: string, field: string, test: Test): string {
  const kept = conjuncts(where).filter((part) => !isAbout(part, field));
  const all = [
    ...kept.map((part) => (kept.length > 0 && hasOr(part) ? `(${part})` : part)),
    conditionText(field, test),
  ];
  return all.join(" and ");
}

export function conditionText(field: string, test: Test): string {
  const name = fieldText(field);
  if ("equals" in test) {
    return `${name} = ${typeof test.equals === "number" ? String(test.equals) : quoted(test.equals)}`;
  }
  return `${name} >= ${short(test.from)} and ${name} ${test.withTo ? "<=" : "<"} ${short(test.to)}`;
}

/** One step, or all from the first to the last. */
export function stepTest(first: number, last: number): Test {
  return first === last ? { equals: first } : { from: first, to: last, withTo: true };
}

/** Edges of bins and brushes need no seventeen digits; a step has all of its own. */
const short = (value: number): string => String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(6)));

/** A text as the filter language reads it back. */
export function quoted(text: string): string {
  const escapes: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/[\n\t\r]/g, (sign) => escapes[sign] as string)}"`;
}

/** `metrics.correct`, and `metrics."format ok?"` where a name is none that the language reads without quotes. */
export function fieldText(field: string): string {
  const [, space, name] = /^(\w+)\.(.+)$/s.exec(field) ?? [];
  if (!space || !name || /^[\p{L}\p{N}_@^](?:[\p{L}\p{N}_@/.^-]*[\p{L}\p{N}_@^])?$/u.test(name)) return field;
  return `${space}.${quoted(name)}`;
}

/** The parts of a filter that are joined by `and` outside of brackets, quotes and patterns; the whole filter where an
 * `or` joins it. */
export function conjuncts(where: string): string[] {
  const text = where.trim();
  if (text === "") return [];
  const words = topLevelWords(text);
  if (words.some(({ word }) => word === "or" || word === "not")) return [text];
  const parts: string[] = [];
  let start = 0;
  for (const { word, at } of words) {
    if (word !== "and") continue;
    parts.push(text.slice(start, at).trim());
    start = at + word.length;
  }
  parts.push(text.slice(start).trim());
  return parts.filter(Boolean);
}

function hasOr(part: string): boolean {
  return topLevelWords(part).some(({ word }) => word === "or");
}

function topLevelWords(text: string): { word: string; at: number }[] {
  const found: { word: string; at: number }[] = [];
  let depth = 0;
  const tokens =
    /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\b(?:metrics|rewards)\.[\w@/.^-]+|\/(?:\\.|[^/\\])+\/[a-z]*|[()]|[A-Za-z_]\w*/g;
  for (const match of text.matchAll(tokens)) {
    const [token] = match;
    if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    else if (depth === 0 && /^\w/.test(token)) found.push({ word: token.toLowerCase(), at: match.index });
  }
  return found;
}

/** Whether a part compares this field and nothing else. */
function isAbout(part: string, field: string): boolean {
  const name = fieldText(field);
  return (
    part.startsWith(name) && /^\s*(=|==|!=|<=|>=|<|>)\s*("(?:\\.|[^"\\])*"|[-+.\deE]+)$/.test(part.slice(name.length))
  );
}
