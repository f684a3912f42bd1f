/** A hit's text before, at and after the match. The server counts characters; JavaScript's strings count halves of some. */
export function snippetParts(hit: {
  readonly snippet: string;
  readonly snippet_start: number;
  readonly snippet_end: number;
}): [before: string, found: string, after: string] {
  const characters = [...hit.snippet];
  return [
    characters.slice(0, hit.snippet_start).join(""),
    characters.slice(hit.snippet_start, hit.snippet_end).join(""),
    characters.slice(hit.snippet_end).join(""),
  ];
}
