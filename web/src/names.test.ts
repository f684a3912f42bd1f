/** A module's tests lie beside it under its name, so that they can be found. */
import { expect, it } from "vitest";

/** Modules without a test of their own, and why. Hooks (`use…`) are parts of components: browser tests are about those. */
const WITHOUT_TESTS: Readonly<Record<string, string>> = {
  "api/exampleVocabulary.ts": "made by `make docs`",
  "api/insights.ts": "hooks",
  "api/live.ts": "a stream of the server's: browser tests follow a live run",
  "api/queryClient.ts": "the options of a library",
  "api/types.ts": "made by `make api`",
  "browsing/dots/dotColumns.ts": "one setting",
  "browsing/list/scrollIntoList.ts": "scrolls, which needs a layout",
  "charts/plot/chartColours.ts": "computed styles",
  "charts/plot/plotOptions.ts": "what uPlot draws",
  "charts/plot/saveChart.ts": "a canvas",
  "dashboards/sidebarCharts.ts": "a hook",
  "insights/scatter/paintPoints.ts": "a canvas",
  "lib/clipboard.ts": "the browser's clipboard",
  "lib/idle.ts": "the browser's idle time",
  "reading/markup/typeset.ts": "drawn formulas and highlighted code",
  "reading/tokens/paintTokens.ts": "the browser's highlights",
  "state/theme.ts": "computed styles",
};

const files = Object.keys(import.meta.glob("./**/*.{ts,tsx}")).map((path) => path.slice(2));
const modules = files.filter((name) => name.endsWith(".ts") && !/\.(test|d)\.ts$/.test(name));
const isHook = (name: string): boolean => /(^|\/)use[A-Z]\w*\.ts$/.test(name);

it("every module of logic has a test file of its name", () => {
  const missing = modules.filter((name) => !isHook(name) && !files.includes(name.replace(/\.ts$/, ".test.ts")));
  expect(missing.sort()).toEqual(Object.keys(WITHOUT_TESTS).sort());
});

it("a test file has the name of a module", () => {
  const tested = files.filter((name) => /\.test\.tsx?$/.test(name)).map((name) => name.replace(/\.test\.tsx?$/, ""));
  const alone = tested.filter((name) => !files.includes(`${name}.ts`) && !files.includes(`${name}.tsx`));
  expect(alone.sort()).toEqual(["imports"]);
});
