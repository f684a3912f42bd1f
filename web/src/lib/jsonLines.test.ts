import { describe, expect, it } from "vitest";
import { jsonLines } from "./jsonLines";

function stream(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function all(body: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const line of jsonLines(body)) found.push(line);
  return found;
}

describe("jsonLines", () => {
  it("puts together what the network cut, also inside a character", async () => {
    const whole = bytes('{"a":"ü"}\n{"b":2}\n');
    for (let cut = 1; cut < whole.length; cut++) {
      expect(await all(stream(whole.slice(0, cut), whole.slice(cut)))).toEqual([{ a: "ü" }, { b: 2 }]);
    }
  });

  it("takes a last line without its end, and skips blank ones", async () => {
    expect(await all(stream(bytes('\n{"a":1}\n\n{"b":2}')))).toEqual([{ a: 1 }, { b: 2 }]);
    expect(await all(stream())).toEqual([]);
  });

  it("tells the server to stop when the reader does", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes('{"a":1}\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _ of jsonLines(endless)) break;
    expect(cancelled).toBe(true);
  });
});
