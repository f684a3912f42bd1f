import { describe, expect, it } from "vitest";
import { changeView, parseView, type View } from "../state/url";
import { rememberPlace, tabTarget } from "./tabPlaces";

/** What the page shows after a click on a tab, and remembers. */
function clicked(view: View, page: View["page"]): View {
  const next = changeView(view, tabTarget(page, view));
  rememberPlace(next);
  return next;
}

function opened(search: string): View {
  const view = parseView(search);
  rememberPlace(view);
  return view;
}

describe("the tab of a page", () => {
  it("leads back to the sample that was open on Evals", () => {
    const there = opened("?run=a&page=evals&split=eval/x&step=40&sample=3&where=reward<1");
    expect(clicked(clicked(there, "insights"), "evals")).toEqual(there);
    expect(clicked(clicked(there, "rollouts"), "evals")).toEqual(there);
  });

  it("leads back to the sample that was open on Discarded, unless another step is read now", () => {
    const there = opened("?run=a&page=discarded&step=5&sample=3");
    const away = clicked(there, "metrics");
    expect(clicked(away, "discarded")).toEqual(there);
    expect(clicked({ ...away, step: 6 }, "discarded")).toMatchObject({ step: 6, sample: null });
  });

  it("leads nowhere special in another run", () => {
    opened("?run=a&page=evals&split=eval/x&step=40&sample=3");
    expect(clicked(opened("?run=b&step=2"), "evals")).toMatchObject({ split: null, step: null, sample: null });
  });
});
