/** pass@k by the unbiased estimator: of n completions c are right; the chance that k drawn without putting back hold
 * a right one is 1 − C(n−c, k) / C(n, k). */

export function passAtK(n: number, c: number, k: number): number | null {
  if (k < 1 || k > n) return null;
  if (n - c < k) return 1;
  let miss = 1;
  for (let i = n - c + 1; i <= n; i += 1) miss *= 1 - k / i;
  return 1 - miss;
}

export interface Problem {
  /** Rewards of the completions of one problem. */
  rewards: readonly (number | null)[];
}

export interface PassRow {
  k: number;
  value: number;
}

/** Powers of two up to the smallest number of completions a problem has, and that number itself. */
export function ksFor(smallest: number): number[] {
  const ks: number[] = [];
  for (let k = 1; k < smallest; k *= 2) ks.push(k);
  return smallest >= 1 ? [...ks, smallest] : [];
}

/** The mean over problems of pass@k, right being a reward of at least `threshold`. Unrewarded completions count as wrong
 * only if the problem has rewards at all. */
export function passTable(problems: readonly Problem[], threshold: number): PassRow[] {
  const graded = problems.filter(({ rewards }) => rewards.some((reward) => reward !== null));
  if (graded.length === 0) return [];
  const smallest = graded.reduce((least, { rewards }) => Math.min(least, rewards.length), Number.POSITIVE_INFINITY);
  return ksFor(smallest).map((k) => {
    const sum = graded.reduce((total, { rewards }) => {
      const right = rewards.filter((reward) => reward !== null && reward >= threshold).length;
      return total + (passAtK(rewards.length, right, k) ?? 0);
    }, 0);
    return { k, value: sum / graded.length };
  });
}

/** A completion is right at the top of the scale's upper half: 1 on 0…1, above 0 on −1…1. */
export function passThreshold(min: number, max: number): number {
  if (max > min) return min < 0 ? Math.min(max, Number.MIN_VALUE) : min + (max - min) * 0.999;
  return max > 0 ? max : 1;
}
