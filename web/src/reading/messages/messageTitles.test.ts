import { describe, expect, it } from "vitest";
import type { Sample } from "../../api/types";
import { messageTitle, promptEnd, tokensText, turnFacts } from "./messageTitles";

describe("messages", () => {
  it("have titles people know", () => {
    expect(messageTitle({ role: "assistant", turn: 0 })).toBe("Assistant · turn 1");
    expect(messageTitle({ role: "tool", name: "calculator" })).toBe("Tool · calculator");
    expect(messageTitle({ role: "tool", parts: [{ type: "tool_result", name: "search" }] })).toBe("Tool · search");
    expect(messageTitle({ role: "critic" })).toBe("critic");
  });

  it("show a turn's numbers once, at its first message", () => {
    const sample = {
      messages: [{ role: "user" }, { role: "assistant", turn: 0 }, { role: "tool", turn: 0 }],
      turns: [{ index: 0, reward: 1 }],
    } as unknown as Sample;
    expect(turnFacts(sample, 1)).toEqual({ turn: { index: 0, reward: 1 }, isFirstOfTurn: true });
    expect(turnFacts(sample, 2).isFirstOfTurn).toBe(false);
    expect(turnFacts(sample, 0)).toEqual({ turn: null, isFirstOfTurn: false });
  });

  it("say their tokens, or the nearest count there is", () => {
    const sample = {
      messages: [{ role: "system", tokens: 24 }, { role: "user" }, { role: "assistant", turn: 0 }],
      turns: [{ index: 0, completion_tokens: 1 }],
      prompt_tokens: 85,
    } as unknown as Sample;
    expect([0, 1, 2].map((index) => tokensText(sample, index))).toEqual(["24 tokens", "prompt 85 tokens", "1 token"]);
  });

  it("are the prompt until the model speaks", () => {
    expect(promptEnd([{ role: "system" }, { role: "user" }, { role: "assistant" }])).toBe(2);
    expect(promptEnd([{ role: "user" }])).toBe(1);
  });
});
