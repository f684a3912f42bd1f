import { describe, expect, it } from "vitest";

/** Which rooms a room may import from. `lib` knows no Rollscope; nobody but `main.tsx` knows `app`. */
const ROOMS: Record<string, readonly string[]> = {
  lib: [],
  ui: ["lib"],
  api: ["lib"],
  state: ["lib", "api"],
  charts: ["lib", "ui", "api", "state"],
  dashboards: ["lib", "ui", "api", "state", "charts"],
  reading: ["lib", "ui", "api", "state"],
  browsing: ["lib", "ui", "api", "state", "reading"],
  search: ["lib", "ui", "api", "state", "reading"],
  insights: ["lib", "ui", "api", "state", "reading", "browsing", "run"],
  run: ["lib", "ui", "api", "state"],
  runs: ["lib", "ui", "api", "state"],
  app: [
    "lib",
    "ui",
    "api",
    "state",
    "charts",
    "dashboards",
    "reading",
    "browsing",
    "search",
    "insights",
    "run",
    "runs",
  ],
};
/** More neighbours than this cannot be taken in at a glance. A component, its styles and its tests are one. */
const NEIGHBOURS = 12;

/** "./ui/Button.tsx" → its text. */
const sources = import.meta.glob<string>("./**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const paths = Object.keys(import.meta.glob("./**/*.{ts,tsx,css}")).map((path) => path.slice(2));

const roomOf = (path: string): string => path.split("/")[0] as string;

/** What a module imports of the page, as paths below `src`. What lies outside of it is left out. */
function importsOf(path: string): string[] {
  const found = [...(sources[`./${path}`] ?? "").matchAll(/(?:from|import\(|import)\s*"(\.[^"]+)"/g)];
  return found
    .map(([, target]) => new URL(target as string, `file:///src/${path}`).pathname)
    .filter((target) => target.startsWith("/src/"))
    .map((target) => target.slice("/src/".length));
}

describe("the rooms of the page", () => {
  it("import only from rooms below them", () => {
    const inRooms = paths.filter((path) => path.includes("/"));
    const wrong = inRooms.flatMap((path) =>
      importsOf(path)
        .filter((target) => roomOf(target) !== roomOf(path) && !ROOMS[roomOf(path)]?.includes(roomOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(inRooms.flatMap(importsOf).length).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });

  it("export only what another module uses", () => {
    const words = new Map(Object.entries(sources).map(([path, text]) => [path, new Set(text.match(/\w+/g))]));
    const unused = Object.entries(sources).flatMap(([path, text]) =>
      [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm)]
        .map(([, name]) => name as string)
        .filter((name) => ![...words].some(([other, used]) => other !== path && used.has(name)))
        .map((name) => `${path} exports ${name}`),
    );
    expect(unused.filter((line) => !line.startsWith("./api/types.ts"))).toEqual([]);
  });

  it("are all named here", () => {
    const folders = new Set(paths.filter((path) => path.includes("/")).map(roomOf));
    folders.delete("styles");
    expect([...folders].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it("are small enough to take in at a glance", () => {
    const neighbours = new Map<string, Set<string>>();
    for (const path of paths) {
      const parts = path.split("/");
      // The rooms themselves are the table above.
      parts.forEach((part, depth) => {
        if (depth === 0) return;
        const folder = parts.slice(0, depth).join("/");
        const names = neighbours.get(folder) ?? new Set();
        neighbours.set(folder, names.add(part.replace(/\..*$/, "")));
      });
    }
    for (const [folder, names] of neighbours) expect(names.size, folder).toBeLessThanOrEqual(NEIGHBOURS);
  });
});
