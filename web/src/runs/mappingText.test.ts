import { expect, test } from "vitest";
import { mappingFile, mappingFlag } from "./mappingText";

test("a mapping is a table of texts", () => {
  expect(mappingFile({ prompt: "question", reward: 'a "b"' })).toBe(
    '[map]\nprompt = "question"\nreward = "a \\"b\\""\n',
  );
});

test("a mapping is a flag, quoted where a shell would read it", () => {
  expect(mappingFlag({ prompt: "question", reward: "out.score" })).toBe("--map prompt=question,reward=out.score");
  expect(mappingFlag({ prompt: "the user's $q" })).toBe("--map 'prompt=the user'\\''s $q'");
});
