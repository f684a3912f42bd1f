import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE_VOCABULARY } from "./exampleVocabulary";
import { fieldName, fieldNamed, fieldsShownIn, setVocabulary, shortFieldName, vocabulary } from "./fields";

beforeAll(() => setVocabulary(EXAMPLE_VOCABULARY));

describe("a field's name", () => {
  it("is the title that the server's table has", () => {
    const field = fieldNamed("completion_tokens");
    expect(fieldName("completion_tokens")).toBe(field?.title.toLowerCase());
    expect(shortFieldName("completion_tokens")).toBe(field?.short);
  });

  it("of a run's own fields is said without its space", () => {
    expect(fieldName("metrics.correct")).toBe("correct");
    expect(fieldName("rewards.format")).toBe("reward · format");
    expect(shortFieldName("metrics.tools/calls")).toBe("calls");
  });
});

describe("the vocabulary", () => {
  it("says which fields are shown where, in its order", () => {
    const shown = fieldsShownIn("details").map(({ name }) => name);
    expect(shown).toEqual(
      vocabulary()
        .fields.filter(({ shown: places }) => places.includes("details"))
        .map((f) => f.name),
    );
    expect(shown).toContain("env");
    expect(fieldNamed("unheard")).toBeUndefined();
  });
});
