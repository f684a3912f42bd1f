import { describe, expect, it } from "vitest";
import { parseExact } from "./exactJson";

describe("parseExact", () => {
  it("keeps every digit of integers that no number holds", () => {
    const text = '{"a":9007199254740993,"b":[-9007199254740993,9007199254740991,1152921504606846977],"c":5}';
    expect(parseExact(text)).toEqual({
      a: "9007199254740993",
      b: ["-9007199254740993", 9007199254740991, "1152921504606846977"],
      c: 5,
    });
  });

  it("leaves texts and fractions as they are", () => {
    const text =
      '{"a":"say \\"x,9007199254740993,\\" twice","b":[0.1234567890123456,1e300,9007199254740994.0],"c":9007199254740993}';
    expect(parseExact(text)).toEqual({
      a: 'say "x,9007199254740993," twice',
      b: [0.1234567890123456, 1e300, 9007199254740994],
      c: "9007199254740993",
    });
  });
});
