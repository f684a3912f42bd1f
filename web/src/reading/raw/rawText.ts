/** A long string in chunks that a list can draw, cut at line breaks. */

export interface Chunk {
  start: number;
  end: number;
}

const CHUNK_CHARS = 12_000;

/** Chunks of at most `size` characters; a line longer than that is cut (never inside a surrogate pair). */
export function chunksOf(text: string, size = CHUNK_CHARS): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + size);
    if (end < text.length) {
      const lineEnd = text.lastIndexOf("\n", end - 1);
      if (lineEnd >= start) end = lineEnd + 1;
      else if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    }
    chunks.push({ start, end });
    start = end;
  }
  return chunks.length ? chunks : [{ start: 0, end: 0 }];
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** The chunk that holds a place of the text. */
export function chunkAt(chunks: readonly Chunk[], place: number): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chunks[middle]?.start ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
