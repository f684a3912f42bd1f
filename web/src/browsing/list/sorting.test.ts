import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE_VOCABULARY } from "../../api/exampleVocabulary";
import { fieldName, setVocabulary } from "../../api/fields";
import { chooseSort, formatSort, parseSort, sortFields, sortName } from "./sorting";

beforeAll(() => setVocabulary(EXAMPLE_VOCABULARY));

describe("sorting", () => {
  it("is a field and a sign", () => {
    expect(parseSort("-metrics.correct")).toEqual({ field: "metrics.correct", descending: true });
    expect(formatSort(parseSort("reward"))).toBe("reward");
  });

  it("offers the usual fields first, the spread only for groups, nothing that is not there", () => {
    const fields = ["metrics.correct", "reward", "completion_tokens"];
    expect(sortFields(fields, "groups")).toEqual(["index", "reward", "completion_tokens", "spread", "metrics.correct"]);
    expect(sortFields(fields, "samples")).not.toContain("spread");
  });

  it("turns round on the second choice", () => {
    expect(chooseSort({ field: "reward", descending: false }, "reward")).toEqual({ field: "reward", descending: true });
    expect(chooseSort({ field: "index", descending: false }, "spread")).toEqual({ field: "spread", descending: true });
  });

  it("calls a field as everywhere", () => {
    expect(sortName("completion_tokens")).toBe(fieldName("completion_tokens"));
  });
});
