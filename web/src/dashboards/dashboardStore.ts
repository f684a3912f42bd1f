/** Named layouts on the server. A change shows at once and is saved a moment later; the page says whether it was. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { getJson, sendJson } from "../api/client";
import type { Dashboard, DashboardName } from "../api/types";
import { type Layout, parseLayout } from "./layout";

const MAX_NAME = 100;
/** Long enough that a drag or a typed word is one request. */
const SAVE_AFTER_MS = 400;

const pathOf = (name: string): string => `dashboards/${encodeURIComponent(name)}`;

const namesQuery = () =>
  queryOptions({
    queryKey: ["dashboards"] as const,
    queryFn: ({ signal }) => getJson<DashboardName[]>("dashboards", {}, signal),
  });

const layoutQuery = (name: string) =>
  queryOptions({
    queryKey: ["dashboard", name] as const,
    queryFn: async ({ signal }) => parseLayout((await getJson<Dashboard>(pathOf(name), {}, signal)).layout),
  });

export const useDashboardNames = () => useQuery(namesQuery());

/** Why a name cannot be used; null when it can. A slash would end the name in the server's address. */
export function nameProblem(name: string, taken: readonly string[]): string | null {
  const trimmed = name.trim();
  if (trimmed === "") return "A dashboard needs a name.";
  if (trimmed.length > MAX_NAME) return `At most ${MAX_NAME} characters.`;
  if (/[/\p{C}]/u.test(trimmed)) return "No slashes, no invisible characters.";
  if (taken.includes(trimmed)) return "There is a dashboard of that name.";
  return null;
}

/* Saving. It goes on when the view that asked for it is left, so the state of it lives here. */

export type Saving = { readonly state: "saved" | "saving" } | { readonly state: "failed"; readonly error: unknown };

const SAVED: Saving = { state: "saved" };
const savings = new Map<string, Saving>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function say(name: string, saving: Saving): void {
  savings.set(name, saving);
  for (const listener of listeners) listener();
}

function scheduleSave(client: QueryClient, name: string): void {
  clearTimeout(timers.get(name));
  say(name, { state: "saving" });
  timers.set(
    name,
    setTimeout(() => void save(client, name), SAVE_AFTER_MS),
  );
}

async function save(client: QueryClient, name: string): Promise<void> {
  const layout = client.getQueryData<Layout>(layoutQuery(name).queryKey);
  if (!layout) return;
  try {
    await sendJson("PUT", pathOf(name), { layout });
    // Changed again meanwhile: that change's own save will say so.
    if (client.getQueryData(layoutQuery(name).queryKey) === layout) say(name, SAVED);
  } catch (error) {
    say(name, { state: "failed", error });
  }
}

export function useDashboard(name: string) {
  const client = useQueryClient();
  const query = useQuery(layoutQuery(name));
  const saving = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => savings.get(name) ?? SAVED,
  );
  const setLayout = useCallback(
    (layout: Layout) => {
      client.setQueryData(layoutQuery(name).queryKey, layout);
      scheduleSave(client, name);
    },
    [client, name],
  );
  const retry = useCallback(() => scheduleSave(client, name), [client, name]);
  return { query, setLayout, saving, retrySave: retry };
}

export function useDashboardActions() {
  const client = useQueryClient();
  const names = namesQuery().queryKey;
  const create = useCallback(
    async (name: string, layout: Layout) => {
      await sendJson("PUT", pathOf(name), { layout });
      client.setQueryData(layoutQuery(name).queryKey, layout);
      await client.invalidateQueries({ queryKey: names });
    },
    [client, names],
  );
  const remove = useCallback(
    async (name: string) => {
      clearTimeout(timers.get(name));
      savings.delete(name);
      await sendJson("DELETE", pathOf(name));
      client.removeQueries({ queryKey: layoutQuery(name).queryKey });
      await client.invalidateQueries({ queryKey: names });
    },
    [client, names],
  );
  /** The layout as it is now, also what is not saved yet. */
  const read = useCallback((name: string): Promise<Layout> => client.ensureQueryData(layoutQuery(name)), [client]);
  return { create, remove, read };
}
