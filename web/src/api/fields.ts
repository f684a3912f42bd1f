/** A sample's fields as the server's one table has them: titles, kinds, places. The page keeps no list of its own.
 *
 * The vocabulary is asked for once, before the first paint: it is the same for every run. */

import { getJson } from "./client";
import type { Vocabulary, VocabularyField } from "./types";

type ShownIn = VocabularyField["shown"][number];

const EMPTY: Vocabulary = {
  fields: [],
  spaces: [],
  operators: [],
  joiners: [],
  negation: "not",
  aliases: {},
  sorts: [],
};
let known = EMPTY;
let byName = new Map<string, VocabularyField>();

export async function loadVocabulary(): Promise<void> {
  setVocabulary(await getJson<Vocabulary>("vocabulary"));
}

export function setVocabulary(vocabulary: Vocabulary): void {
  known = vocabulary;
  byName = new Map(vocabulary.fields.map((field) => [field.name, field]));
}

export const vocabulary = (): Vocabulary => known;
export const fieldNamed = (name: string): VocabularyField | undefined => byName.get(name);
export const fieldsShownIn = (place: ShownIn): readonly VocabularyField[] =>
  known.fields.filter((field) => field.shown.includes(place));

/** A field as people say it: "completion tokens", "correct", "reward · format". */
export function fieldName(field: string): string {
  const title = byName.get(field)?.title;
  if (title !== undefined) return title.toLowerCase();
  return field.replace(/^metrics\./, "").replace(/^rewards\./, "reward · ");
}

/** The same where there is little room: rew, adv, tok; the last word of a metric's name. */
export const shortFieldName = (field: string): string =>
  byName.get(field)?.short ?? field.split(/[./]/).at(-1) ?? field;
