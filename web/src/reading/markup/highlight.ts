/** Highlighted code as a tree of classes and text, not as HTML: the emitter below is what lowlight does too. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import latex from "highlight.js/lib/languages/latex";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

export interface CodeNode {
  /** The kind of token: "keyword", "string", …; "" for the root. */
  scope: string;
  children: (CodeNode | string)[];
}

class TreeEmitter {
  readonly root: CodeNode = { scope: "", children: [] };
  private readonly stack: CodeNode[] = [this.root];

  private get top(): CodeNode {
    return this.stack.at(-1) ?? this.root;
  }

  addText(text: string): void {
    if (text) this.top.children.push(text);
  }

  startScope(scope: string): void {
    const node: CodeNode = { scope, children: [] };
    this.top.children.push(node);
    this.stack.push(node);
  }

  endScope(): void {
    if (this.stack.length > 1) this.stack.pop();
  }

  // highlight.js hands over what an embedded language emitted (HTML's scripts and styles).
  __addSublanguage(other: TreeEmitter, name: string): void {
    this.top.children.push(name ? { scope: "", children: other.root.children } : other.root);
  }

  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  toHTML(): string {
    return "";
  }

  finalize(): void {}
}

for (const [name, language] of Object.entries({
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  latex,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})) {
  hljs.registerLanguage(name, language);
}
hljs.configure({ __emitter: TreeEmitter as never });

/** Longer code is shown without colours: they would cost more time than they save. */
const LONGEST = 60_000;

/** Null when the language is not known or the code too long: then it is plain. */
export function highlight(code: string, language: string): CodeNode | null {
  if (!language || code.length > LONGEST || !hljs.getLanguage(language)) return null;
  const result = hljs.highlight(code, { language, ignoreIllegals: true });
  return (result as unknown as { _emitter: TreeEmitter })._emitter.root;
}
