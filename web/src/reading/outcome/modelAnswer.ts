/** What the model answered, as far as its text says so plainly; shown beside the golden answer. */

import type { Message, Part } from "../../api/types";

/** The content of a part without its delimiters. Python counts code points in `lead` and `tail`; delimiters have none
 * beyond the basic plane, so counting units is the same. */
export function contentOf(part: Part): string {
  const text = part.text ?? "";
  return text.slice(part.lead ?? 0, text.length - (part.tail ?? 0));
}

/** The last `\boxed{…}`, braces matched. */
export function lastBoxed(text: string): string | null {
  let at = text.lastIndexOf("\\boxed{");
  while (at >= 0) {
    let depth = 0;
    for (let i = at + 6; i < text.length; i += 1) {
      if (text[i] === "{") depth += 1;
      else if (text[i] === "}") {
        depth -= 1;
        if (depth === 0) return text.slice(at + 7, i).trim() || null;
      }
    }
    at = at > 0 ? text.lastIndexOf("\\boxed{", at - 1) : -1;
  }
  return null;
}

/** The answer in the last assistant message: an answer block, else the last box, else a final "answer: …" or "#### …". */
export function modelAnswer(messages: readonly Message[]): string | null {
  const last = messages.findLast((message) => message.role === "assistant");
  if (!last) return null;
  const parts = last.parts ?? [];
  const block = parts.findLast((part) => part.type === "answer");
  if (block) return lastBoxed(contentOf(block)) ?? contentOf(block).trim();
  const said = parts
    .filter((part) => (part.type ?? "text") === "text")
    .map((part) => part.text ?? "")
    .join("")
    .slice(-20_000);
  const boxed = lastBoxed(said);
  if (boxed !== null) return boxed;
  const line = /(?:^|\n)\s*(?:####|\**(?:final )?answer\**\s*(?:is)?\s*[:=])\s*([^\n]{1,200})\s*$/i.exec(said);
  return line?.[1]?.replaceAll("**", "").trim() || null;
}

/** Equal as text, spaces and dollar signs aside. Not equal says nothing: 1/2 and 0.5 are for the reward to judge. */
export function sameAnswer(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text
    .replace(/^\s*\\boxed\{([\s\S]*)\}\s*$/, "$1")
    .replace(/[\s$]|\\(?:left|right|,|;|!)/g, "")
    .replace(/\\[dt]frac/g, "\\frac")
    .replace(/[.。]$/, "")
    .toLowerCase();
}
