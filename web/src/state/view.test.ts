// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "./url";
import { currentView, go, hrefFor, linkToHere, show } from "./view";

beforeEach(() => show(DEFAULT_VIEW, { replace: true }));

describe("the view", () => {
  it("is the URL", () => {
    go({ split: "train", step: 3, sample: 1 });
    expect(currentView()).toMatchObject({ split: "train", step: 3, sample: 1 });
    expect(new URLSearchParams(window.location.search).get("step")).toBe("3");
    expect(linkToHere()).toBe(window.location.href);
  });

  it("keeps its parts as they are where they did not change", () => {
    go({ split: "train", step: 3 });
    const before = currentView();
    go({ sample: 2 });
    expect(currentView().other).toBe(before.other);
  });

  it("adds a place to go back to, unless it replaces one or stays where it is", () => {
    const before = window.history.length;
    go({ step: 4 }, { replace: true });
    go({ step: 4 });
    expect(window.history.length).toBe(before);
    go({ step: 5 });
    expect(window.history.length).toBe(before + 1);
  });

  it("has links that change one thing and nothing else", () => {
    go({ split: "train", step: 3 });
    expect(hrefFor({ step: 4 })).toContain("step=4");
    expect(hrefFor({ step: 4 })).toContain("split=train");
    expect(currentView().step).toBe(3);
    expect(hrefFor({}, DEFAULT_VIEW)).toBe("?");
  });
});
