import { describe, expect, it } from "vitest";
import { changeView, DEFAULT_VIEW, formatView, parseAddress, parseView, shareView, type View } from "./url";

const view = (patch: Partial<View> = {}): View => ({ ...DEFAULT_VIEW, ...patch });

describe("a view and its URL", () => {
  it("leaves defaults out, so the plain page has the plain address", () => {
    expect(formatView(DEFAULT_VIEW)).toBe("");
    expect(parseView("")).toEqual(DEFAULT_VIEW);
  });

  it("round-trips everything a colleague needs to see the same thing", () => {
    const full = view({
      page: "evals",
      run: "grpo-math",
      compare: ["baseline", "odd, name 100%2C"],
      split: "eval/aime24",
      step: 40,
      sample: 3,
      group: "7",
      where: 'reward < 0.2 and response contains "a & b = ü"',
      sort: "-metrics.correct",
      list: "samples",
      columns: ["reward", "metrics.a,b"],
      raw: true,
      side: true,
      tree: true,
      find: "x+y",
      other: { dashboard: "mine" },
    });
    expect(parseView(formatView(full))).toEqual(full);
  });

  it("keeps addresses readable", () => {
    expect(formatView(view({ split: "eval/aime24", step: "latest" }))).toBe("?split=eval/aime24&step=latest");
  });

  it("remembers that all columns were taken away", () => {
    expect(parseView(formatView(view({ columns: [] }))).columns).toEqual([]);
  });

  it("takes a damaged URL for what is left of it", () => {
    expect(parseView("?page=nowhere&step=12abc&sample=-&sort=")).toEqual(DEFAULT_VIEW);
  });

  it("never carries a token into a link", () => {
    expect(formatView(parseView("?token=secret&run=a"))).toBe("?run=a");
  });
});

describe("changing a view", () => {
  const here = view({ run: "a", split: "train", step: 5, sample: 3, where: "reward < 1", compare: ["b"] });

  it("a new step forgets the sample, keeps the filter", () => {
    expect(changeView(here, { step: 6 })).toMatchObject({ step: 6, sample: null, where: "reward < 1" });
  });

  it("a new step with its sample keeps that sample", () => {
    expect(changeView(here, { step: 6, sample: 1 })).toMatchObject({ step: 6, sample: 1 });
  });

  it("a new run forgets where one was, and is not compared with itself", () => {
    expect(changeView(here, { run: "b" })).toMatchObject({ step: null, sample: null, split: null, compare: [] });
  });

  it("choosing what is chosen changes nothing", () => {
    expect(changeView(here, { step: 5 })).toEqual(here);
  });

  it("going to Metrics keeps the step: it is the line on the charts", () => {
    expect(changeView(here, { page: "metrics" })).toMatchObject({ step: 5, compare: ["b"] });
  });

  it("a look at Insights or Metrics does not lose the open sample", () => {
    const away = changeView(here, { page: "insights" });
    expect(away).toMatchObject({ split: null, step: 5, sample: 3 });
    expect(changeView(changeView(away, { page: "metrics" }), { page: "rollouts" })).toMatchObject({
      step: 5,
      sample: 3,
    });
  });

  it("other lists have other samples", () => {
    expect(changeView(here, { page: "discarded" }).sample).toBeNull();
    expect(changeView(changeView(here, { page: "run" }), { page: "evals" }).sample).toBeNull();
    expect(changeView(view({ ...here, split: "eval/x" }), { page: "run" }).sample).toBeNull();
    expect(changeView(view({ ...here, page: "discarded" }), { page: "insights" }).sample).toBeNull();
  });
});

describe("two views", () => {
  it("share what is equal, so that only what changed is drawn again", () => {
    const before = parseView("?run=a&compare=b,c&columns=reward&x=wall&step=1");
    const after = shareView(before, parseView("?run=a&compare=b,c&columns=advantage&x=wall&step=2"));
    expect(after.compare).toBe(before.compare);
    expect(after.other).toBe(before.other);
    expect(after.columns).toEqual(["advantage"]);
    expect(after.step).toBe(2);
  });
});

describe("addresses", () => {
  it("splits at the last two slashes", () => {
    expect(parseAddress("eval/aime24/40/3")).toEqual({ split: "eval/aime24", step: 40, sample: 3 });
    expect(parseAddress("train/12")).toBeNull();
  });
});
