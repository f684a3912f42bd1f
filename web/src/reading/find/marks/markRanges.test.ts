// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { rangesIn } from "./markRanges";

function drawn(html: string): HTMLElement {
  const part = document.createElement("div");
  part.innerHTML = html;
  document.body.append(part);
  return part;
}

const marked = (html: string, source: string, start: number, end: number): string | undefined =>
  rangesIn(drawn(html), source, [{ start, end }])[0]?.toString();

describe("the characters of a finding", () => {
  it("are found in text as it is", () => {
    expect(marked("so it is", "so it is", 3, 5)).toBe("it");
  });

  it("are found where formatting left characters out", () => {
    const source = "the **answer** is 4";
    expect(marked("the <b>answer</b> is 4", source, source.indexOf("answer"), source.indexOf(" is"))).toBe("answer");
  });

  it("are counted in code points", () => {
    expect(marked("👍👍 yes", "👍👍 yes", 3, 6)).toBe("yes");
  });

  it("are found in long texts that are drawn in segments", () => {
    const html = '<pre><span data-from="0">abcde</span><span data-from="5">fghij</span></pre>';
    expect(marked(html, "abcdefghij", 3, 7)).toBe("defg");
    expect(marked(html, "abcdefghij", 20, 22)).toBeUndefined();
  });

  it("mark a formula whole", () => {
    const part = drawn('so <span data-math title="$x^2$">x2</span> is');
    const [range] = rangesIn(part, "so $x^2$ is", [{ start: 4, end: 6 }]);
    expect(range?.cloneContents().querySelector("[data-math]")).not.toBeNull();
  });
});
