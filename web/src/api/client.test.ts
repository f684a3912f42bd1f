import { afterEach, describe, expect, it, vi } from "vitest";
import { apiUrl, isFilterMistake, Problem, request, runPath } from "./client";

afterEach(() => void vi.unstubAllGlobals());

/** The network answers in this way. */
function answering(answer: () => Response): void {
  vi.stubGlobal("fetch", () => Promise.resolve().then(answer));
}

describe("the address of a request", () => {
  it("is relative, so that any prefix works, and leaves out what is not asked", () => {
    expect(apiUrl("runs")).toBe("api/runs");
    expect(apiUrl("x", { split: "eval/a b", step: 3, all: true, raw: false, where: null, sort: undefined })).toBe(
      "api/x?split=eval%2Fa+b&step=3&all=1&raw=0",
    );
    expect(apiUrl("x", { name: ["a", "b"] })).toBe("api/x?name=a&name=b");
  });

  it("holds a run's id, whatever somebody typed", () => {
    expect(runPath("demo", "steps")).toBe("runs/demo/steps");
    expect(runPath("../x")).toBe("runs/..%2Fx");
  });
});

describe("what the server cannot answer", () => {
  it("is what it says, with the place of a filter's fault", async () => {
    const body = { title: "unknown field", hint: "did you mean reward?", position: 4 };
    answering(() => Response.json(body, { status: 400 }));
    const problem = await request("x").catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ ...body, status: 400 });
    expect(isFilterMistake(problem)).toBe(true);
    expect(isFilterMistake(new Problem("gone", 404))).toBe(false);
  });

  it("is a sentence, where a proxy answers in its place", async () => {
    answering(() => new Response("<html>", { status: 502, statusText: "Bad Gateway" }));
    await expect(request("x")).rejects.toMatchObject({ title: "The server answered 502 Bad Gateway.", status: 502 });
  });

  it("is a sentence, where there is no server, and nothing where it was given up", async () => {
    answering(() => {
      throw new TypeError("fetch failed");
    });
    await expect(request("x")).rejects.toMatchObject({ title: "The server does not answer.", status: 0 });
    answering(() => {
      throw new DOMException("stopped", "AbortError");
    });
    await expect(request("x")).rejects.toMatchObject({ name: "AbortError" });
  });
});
