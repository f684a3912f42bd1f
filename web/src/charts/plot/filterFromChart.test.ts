// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "../../state/url";
import { currentView, show } from "../../state/view";
import type { HeatSource } from "../series/useChartData";
import { openBox, openCell, openSteps } from "./filterFromChart";

const source = { field: "reward", split: "train" } as HeatSource;
const edges = [0, 0.5, 1];

beforeEach(() => show({ ...DEFAULT_VIEW, page: "metrics" }, { replace: true }));

describe("a cell of a distribution", () => {
  it("opens the samples of its step whose value lies in its bin", () => {
    openCell(source, edges, 7, 0.2);
    expect(currentView()).toMatchObject({ page: "rollouts", split: "train", step: 7 });
    expect(currentView().where).toBe("reward >= 0 and reward < 0.5");
  });

  it("has the last edge in the last bin", () => {
    openCell(source, edges, 7, 0.9);
    expect(currentView().where).toBe("reward >= 0.5 and reward <= 1");
  });

  it("of an evaluation opens on Evals, and stays on a page of lists that is open", () => {
    openCell({ ...source, split: "eval/aime" }, edges, 7, 0.2);
    expect(currentView().page).toBe("evals");
    show({ ...DEFAULT_VIEW, page: "discarded" }, { replace: true });
    openCell(source, edges, 7, 0.2);
    expect(currentView().page).toBe("discarded");
  });
});

describe("a box", () => {
  it("filters by its bins and its steps", () => {
    openBox(source, edges, { first: 3, last: 5 }, [0.1, 0.7]);
    expect(currentView()).toMatchObject({ page: "rollouts", steps: "all", list: "samples", sort: "-step" });
    expect(currentView().where).toBe("reward >= 0 and reward <= 1 and step >= 3 and step <= 5");
  });

  it("beyond all bins is about its steps alone", () => {
    openBox(source, edges, { first: 3, last: 5 }, [8, 9]);
    expect(currentView().where).toBe("step >= 3 and step <= 5");
  });
});

it("a stretch of steps is a condition beside what is there", () => {
  show({ ...DEFAULT_VIEW, page: "metrics", where: "reward > 0" }, { replace: true });
  openSteps(2, 4);
  expect(currentView().where).toBe("reward > 0 and step >= 2 and step <= 4");
});
