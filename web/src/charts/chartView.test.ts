// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { chartParams, parseChartParams } from "./chartView";
import type { ViewOptions } from "./series/series";

const usual: ViewOptions = { axis: "step", span: 10, maxStep: null };

describe("the charts' words in the URL", () => {
  it("leave out what is usual", () => {
    expect(chartParams(usual)).toEqual({});
    expect(parseChartParams({}, usual)).toEqual(usual);
  });

  it("say everything else, and come back the same", () => {
    const views: ViewOptions[] = [
      { axis: "wall", span: 25, maxStep: 500 },
      { axis: "relative", span: null, maxStep: 0 },
    ];
    for (const view of views) expect(parseChartParams(chartParams(view), usual)).toEqual(view);
  });

  it("are taken for what is left of them when damaged", () => {
    expect(parseChartParams({ x: "sideways", ema: "lots", max: "-3" }, usual)).toEqual(usual);
    expect(parseChartParams({ ema: "900" }, usual).span).toBe(100);
  });
});
