import { describe, expect, it } from "vitest";
import { alignText, shownStretch, unitPlace } from "./alignText";

/** What is drawn for a stretch of the source. */
function drawn(source: string, shown: string, wanted: string): string | null {
  const start = source.indexOf(wanted);
  const found = shownStretch(alignText(source, shown), start, start + wanted.length);
  return found && shown.slice(found.from, found.to);
}

describe("characters of a source in what is drawn of it", () => {
  it("are found where formatting leaves its marks out", () => {
    const source = "# Plan\n\nFirst **add** both, `x` and *y*.\n\n- one\n- two";
    const shown = "Plan\nFirst add both, x and y.\none\ntwo";
    expect(drawn(source, shown, "**add** both")).toBe("add both");
    expect(drawn(source, shown, "- two")).toBe("two");
    expect(drawn(source, shown, "Plan")).toBe("Plan");
  });

  it("are found behind a link whose address is not shown", () => {
    const source = "See [a link](https://example.org/and/more) and then the end.";
    expect(drawn(source, "See a link and then the end.", "then the end")).toBe("then the end");
  });

  it("are found in JSON that was put over lines", () => {
    const source = '{"table":"orders","where":{"product":1}}';
    const shown = '{\n  "table": "orders",\n  "where": {\n    "product": 1\n  }\n}';
    expect(drawn(source, shown, '"orders"')).toBe('"orders"');
  });

  it("are found beside words that formatting adds", () => {
    expect(drawn("before\n```python\nx = 1\n```\nafter", "before python Copy x = 1 after", "after")).toBe("after");
    expect(drawn("before\n```python\nx = 1\n```\nafter", "before python Copy x = 1 after", "x = 1")).toBe("x = 1");
  });

  it("are the very ones where words come again", () => {
    const source = "again **and** again and again";
    const shown = "again and again and again";
    const found = shownStretch(alignText(source, shown), 24, 29);
    expect(found).toEqual({ from: 20, to: 25 });
  });

  it("are nowhere where nothing of them is drawn", () => {
    expect(drawn("a **b** c", "a b c", "**")).toBeNull();
  });

  it("cost no time in long texts", () => {
    const line = "Some **bold** words and `code` on a line that goes on for a while.\n\n";
    const source = line.repeat(900);
    const began = performance.now();
    const places = alignText(source, source.replaceAll(/[*`]/g, ""));
    expect(performance.now() - began).toBeLessThan(2000);
    expect(places.at(-3)).toBe(source.length - 3);
  });
});

describe("places in code points", () => {
  it("are places in the string", () => {
    expect([unitPlace("a😀b", 0), unitPlace("a😀b", 2), unitPlace("a😀b", 9)]).toEqual([0, 3, 4]);
    expect(unitPlace("abc", 2)).toBe(2);
  });
});
