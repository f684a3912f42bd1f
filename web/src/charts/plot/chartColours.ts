/** Colour tokens as canvas needs them, read once per theme. */
import { readColour, useThemeGeneration } from "../../state/theme";

export interface ChartColours {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly panel: string;
  readonly of: (token: string) => string;
}

const cache = new Map<string, string>();
let cachedFor = -1;

export function useChartColours(): { colours: ChartColours; generation: number } {
  const generation = useThemeGeneration();
  if (generation !== cachedFor) {
    cache.clear();
    cachedFor = generation;
  }
  return { colours: chartColours, generation };
}

function of(token: string): string {
  const known = cache.get(token);
  if (known) return known;
  const colour = readColour(token);
  cache.set(token, colour);
  return colour;
}

export const chartColours: ChartColours = {
  get text() {
    return of("--text");
  },
  get faint() {
    return of("--faint");
  },
  get line() {
    return of("--line");
  },
  get panel() {
    return of("--panel");
  },
  of,
};
