import { expect, it } from "vitest";
import { titleFor } from "./title";

it("names sample, page and run, as far as there are any", () => {
  expect(titleFor("rollouts", "demo", "train/24/18")).toBe("train/24/18 · Rollouts · demo · Rollscope");
  expect(titleFor("metrics", "demo")).toBe("Metrics · demo · Rollscope");
  expect(titleFor("search", null)).toBe("Search · Rollscope");
});
