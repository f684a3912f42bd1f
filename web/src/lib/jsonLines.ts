import { parseExact } from "./exactJson";

/** The lines of a response as they arrive, each parsed as JSON. */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) if (line.trim() !== "") yield parseExact(line);
    }
    if (rest.trim() !== "") yield parseExact(rest);
  } finally {
    // Whoever stops reading stops the search.
    await reader.cancel().catch(() => undefined);
  }
}
