import { describe, expect, it } from "vitest";
import { prettyJson } from "./prettyJson";

describe("JSON over several lines", () => {
  it("is indented, with every digit and every string as it was", () => {
    expect(prettyJson('{"a": [1.10, 12345678901234567890, "x, {y}: \\"z\\""], "b": {}, "c": []}')).toBe(
      '{\n  "a": [\n    1.10,\n    12345678901234567890,\n    "x, {y}: \\"z\\""\n  ],\n  "b": {},\n  "c": []\n}',
    );
  });

  it("is the same JSON", () => {
    const text = '[{"name":"calc","arguments":{"x":[1,2,{"y":null}]}},true,-1e-7]';
    expect(JSON.parse(prettyJson(text) ?? "")).toEqual(JSON.parse(text));
  });

  it("leaves alone what is no JSON, or has its lines already", () => {
    for (const text of ["{not json}", "plain", '{"a":\n1}', "42"]) expect(prettyJson(text)).toBeNull();
  });
});
