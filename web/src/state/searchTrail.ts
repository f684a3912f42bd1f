/** The hits of the last search, in its order: from an opened sample one goes on to the next that has a hit. */

interface TrailHit {
  readonly address: string;
  /** The text that was found there. */
  readonly find: string;
}

let trail: { readonly run: string; readonly hits: readonly TrailHit[] } | null = null;

export function setTrail(run: string, hits: readonly TrailHit[]): void {
  trail = { run, hits };
}

/** The nearest hit in another sample, forwards or backwards; null at an end, or where no search led here. */
export function alongTrail(run: string, address: string | null, by: 1 | -1): TrailHit | null {
  if (trail?.run !== run || address === null) return null;
  const { hits } = trail;
  let place =
    by === 1 ? hits.findLastIndex((hit) => hit.address === address) : hits.findIndex((hit) => hit.address === address);
  if (place < 0) return null;
  place += by;
  while (hits[place]?.address === address) place += by;
  return hits[place] ?? null;
}
