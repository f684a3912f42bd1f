/** JSON over several lines, where a text is JSON and nothing else. Numbers keep their digits: only white space changes. */

const LONGEST = 200_000;

/** The text indented; null where it is no JSON object or list, or is spread over lines already. */
export function prettyJson(text: string): string | null {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed) || trimmed.length > LONGEST || trimmed.includes("\n")) return null;
  try {
    JSON.parse(trimmed);
  } catch {
    return null;
  }
  return indented(trimmed);
}

function indented(json: string): string {
  const out: string[] = [];
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(Math.min(depth, 60))}`;
  for (const [token] of json.matchAll(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") {
      depth += 1;
      out.push(token, line());
    } else if (token === "}" || token === "]") {
      depth -= 1;
      // An empty one stays together.
      if (/^\n *$/.test(out.at(-1) ?? "") && /[{[]$/.test(out.at(-2) ?? "")) out.pop();
      else out.push(line());
      out.push(token);
    } else if (token === ",") out.push(token, line());
    else out.push(token === ":" ? ": " : token);
  }
  return out.join("");
}
