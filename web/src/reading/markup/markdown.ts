/** Markdown as tokens. HTML in it stays text, links are not followed, images are not loaded: the tokens become React
 * nodes in MarkdownView, never HTML. */

import MarkdownIt, { type StateBlock, type StateInline, type Token } from "markdown-it";
import { mathAt } from "./math";

export type { Token };

/** A model's line breaks mean something, its four-space indents are seldom code, and `---` under a line is a rule. */
function parser(math: boolean): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });
  // Not in the type, but what keeps a thousand nested quotes from a thousand nested elements.
  markdown.set({ maxNesting: 30 } as never);
  markdown.disable(["code", "lheading", "html_block", "html_inline", "reference"]);
  // Addresses are shown, not followed, so none has to be refused: a refused one would show as its source.
  markdown.validateLink = () => true;
  if (math) {
    markdown.inline.ruler.before("escape", "math", inlineMath);
    markdown.block.ruler.before("fence", "math", blockMath, { alt: ["paragraph", "blockquote", "list"] });
  }
  return markdown;
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  const sign = state.src[state.pos];
  if (sign !== "$" && sign !== "\\") return false;
  const found = mathAt(state.src, state.pos);
  if (!found || found.end > state.posMax) return false;
  if (!silent) {
    const token = state.push(found.display ? "math_block" : "math_inline", "math", 0);
    token.content = found.tex;
    token.markup = state.src.slice(state.pos, found.end);
  }
  state.pos = found.end;
  return true;
}

/** Display formulas that begin a line may span lines that would mean something else (`- b` is not a list there). */
function blockMath(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  const opening = state.src.slice(start, start + 2);
  if (opening !== "$$" && opening !== "\\[") return false;
  const found = mathAt(state.src, start);
  if (!found) return false;
  let line = startLine;
  while (line < endLine && (state.eMarks[line] ?? 0) < found.end) line += 1;
  if (line >= endLine || state.src.slice(found.end, state.eMarks[line]).trim() !== "") return false;
  if (silent) return true;
  const token = state.push("math_block", "math", 0);
  token.content = found.tex;
  token.markup = state.src.slice(start, found.end);
  token.map = [startLine, line + 1];
  state.line = line + 1;
  return true;
}

const parsers = new Map<boolean, MarkdownIt>();

export function parseMarkdown(text: string, options: { math: boolean }): Token[] {
  let markdown = parsers.get(options.math);
  if (!markdown) {
    markdown = parser(options.math);
    parsers.set(options.math, markdown);
  }
  return markdown.parse(text, {});
}
