import { describe, expect, it } from "vitest";
import { notFound, unknownIn } from "./findingKinds";

describe("kinds that were looked for", () => {
  it("are told where nothing was found and something could be known", () => {
    const kinds = ["loop", "pattern", "entropy", "garbled"];
    expect(notFound(kinds, [{ kind: "pattern:refusal" }], [{ kind: "entropy" }])).toEqual(["loop", "garbled"]);
    expect(notFound(kinds, [], [])).toEqual(kinds);
  });

  it("are unknown only where no split can tell", () => {
    const reason = "no entropy was recorded";
    const inEval = { kind: "entropy", split: "eval/math", reason };
    expect(unknownIn([inEval], ["train", "eval/math"]).get("entropy")).toEqual({
      everywhere: false,
      says: "none; could not check in eval/math: no entropy was recorded",
    });
    const both = unknownIn([inEval, { ...inEval, split: "train" }], ["train", "eval/math"]);
    expect(both.get("entropy")).toEqual({ everywhere: true, says: "could not check: no entropy was recorded" });
  });
});
