import { afterEach, expect, it, vi } from "vitest";
import { allSteps } from "./hooks";

afterEach(() => void vi.unstubAllGlobals());

it("a run of more steps than one answer holds is listed to its last step", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    const query = new URL(url, "http://page/").searchParams;
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const rows = Array.from({ length: Math.max(0, Math.min(limit, 25_000 - offset)) }, (_, n) => ({
      step: offset + n,
    }));
    return Promise.resolve(new Response(JSON.stringify(rows)));
  });
  const steps = await allSteps("demo", "train");
  expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 25_000 }, (_, n) => n));
  expect(asked).toHaveLength(3);
});
