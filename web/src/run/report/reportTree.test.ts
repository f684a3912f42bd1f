// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { ReportNode } from "../../api/types";
import { conversationOf, headingText, holdsHtml, parseHtml, unescapeText } from "./reportTree";

const div = (attrs: Record<string, string> = {}): ReportNode => ({ tag: "div", attrs, children: [], data: null });
const element = (tag: string, ...children: (ReportNode | string)[]): ReportNode => ({ ...div(), tag, children });

describe("unescapeText", () => {
  it("undoes a writer's escaping once, and only once", () => {
    expect(unescapeText("a &lt; b &amp;&amp; c &#x27;d&#x27; &quot;e&quot;")).toBe("a < b && c 'd' \"e\"");
    expect(unescapeText("&amp;lt;script&amp;gt;")).toBe("&lt;script&gt;");
  });

  it("leaves other text alone", () => {
    expect(unescapeText("R&D; &copy; 100 %")).toBe("R&D; &copy; 100 %");
  });
});

describe("parseHtml", () => {
  it("keeps structure and text, and no attribute", () => {
    expect(parseHtml('<b onclick="x()">bold</b> <a href="javascript:x()">link</a>')).toEqual([
      element("b", "bold"),
      " ",
      element("a", "link"),
    ]);
  });

  it("drops what would run or load, with all that is in it", () => {
    const hidden =
      "<script>x(1 < 2)</script><style>b{}</style><iframe src=x><p>in</p></iframe><svg><text>s</text></svg>";
    expect(parseHtml(`${hidden}after`)).toEqual(["after"]);
  });

  it("nests, closes what was left open, and knows tags that never close", () => {
    expect(parseHtml("<ul><li>a<br>b</li><li>c</ul>d")).toEqual([
      element("ul", element("li", "a", element("br"), "b"), element("li", "c")),
      "d",
    ]);
  });

  it("is not led astray by quotes, comments or a lone <", () => {
    expect(parseHtml('<p title="a > b">x</p><!-- <b>no</b> -->y < z &amp; &lt;i&gt;')).toEqual([
      element("p", "x"),
      "y < z & <i>",
    ]);
  });
});

describe("holdsHtml", () => {
  it("knows logtree's own divs from those of log_html", () => {
    expect(holdsHtml(div())).toBe(true);
    expect(holdsHtml(div({ class: "note" }))).toBe(true);
    expect(holdsHtml(div({ class: "lt-section-body" }))).toBe(false);
    expect(holdsHtml({ ...div(), tag: "p" })).toBe(false);
    expect(holdsHtml(div({ class: "lt-html", "data-format": "html" }))).toBe(true);
  });
});

describe("conversationOf", () => {
  it("reads messages with text, parts and tool calls", () => {
    const messages = [
      { role: "user", content: "2+2?" },
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "4" }, { type: "image" }],
      },
      { role: "assistant", content: null, tool_calls: [{ name: "calc" }] },
    ];
    expect(conversationOf({ type: "conversation", messages })?.map(({ text }) => text)).toEqual([
      "2+2?",
      "<think>hm</think>4[image]",
      '[\n  {\n    "name": "calc"\n  }\n]',
    ]);
  });

  it("is none for other data", () => {
    for (const data of [null, 5, {}, { type: "table" }, { type: "conversation", messages: "no" }]) {
      expect(conversationOf(data)).toBeNull();
    }
  });
});

describe("headingText", () => {
  it("keeps badges that touch each other apart, and text as it is", () => {
    const badge = (text: string) => element("span", text);
    const heading = (...children: (ReportNode | string)[]) => headingText(element("summary", ...children), false);
    expect(heading("Group 3 ", badge("mean 0.625"), badge("+0.16"))).toBe("Group 3 mean 0.625 +0.16");
    expect(heading("a", badge("b"), " c")).toBe("ab c");
  });
});
