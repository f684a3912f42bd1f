import { replaceEqualDeep } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { batches, loadSeries } from "./seriesLoader";

afterEach(() => vi.unstubAllGlobals());

/** A server that has every metric but those called "gone". */
function answering(): ReturnType<typeof vi.fn> {
  const fetch = vi.fn(async (url: string) => {
    const names = new URL(url, "http://page/").searchParams.getAll("name");
    const known = names.filter((name) => name !== "gone");
    return new Response(
      JSON.stringify(known.map((name) => ({ name, steps: [], values: [], times: [], nonfinite: {} }))),
    );
  });
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

describe("loadSeries", () => {
  it("gives series that are told apart as wholes, not value by value", async () => {
    answering();
    const before = await loadSeries("one", "loss", false);
    const after = await loadSeries("one", "loss", false);
    expect(replaceEqualDeep([before], [after])[0]).toBe(after);
  });

  it("asks once per run for what was wanted together", async () => {
    const fetch = answering();
    const [a, b, other, again] = await Promise.all([
      loadSeries("one", "loss", false),
      loadSeries("one", "kl", false),
      loadSeries("two", "loss", false),
      loadSeries("one", "loss", false),
    ]);
    expect(fetch).toHaveBeenCalledTimes(2);
    expect([a?.name, b?.name, other?.name, again?.name]).toEqual(["loss", "kl", "loss", "loss"]);
  });

  it("gives null for a metric the run does not have", async () => {
    answering();
    expect(await loadSeries("one", "gone", false)).toBeNull();
  });

  it("fails for all who waited when the server does", async () => {
    vi.stubGlobal("fetch", async () => new Response('{"title": "Gone away"}', { status: 500 }));
    const results = await Promise.allSettled([loadSeries("one", "a", false), loadSeries("one", "b", false)]);
    expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
  });
});

describe("batches", () => {
  it("holds to the length a URL may have, and loses nothing", () => {
    const many = Array.from({ length: 95 }, (_, i) => ({ name: `metric/${i}` }));
    expect(batches(many).map((batch) => batch.length)).toEqual([6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5]);
    const long = Array.from({ length: 3 }, (_, i) => ({ name: `${"x".repeat(2500)}${i}` }));
    expect(batches(long).map((batch) => batch.length)).toEqual([1, 1, 1]);
    expect(batches([])).toEqual([]);
  });
});
