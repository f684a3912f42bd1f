/** One way to ask the server: relative URLs (any prefix works), JSON in, a problem as an error people can read. */

import { parseExact } from "../lib/exactJson";

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** What the server says when it cannot answer (problem+json): what happened, and what to do. */
export class Problem extends Error {
  constructor(
    readonly title: string,
    readonly status: number,
    readonly detail: string = "",
    readonly hint: string = "",
    /** Where in a filter the fault lies, 0-based. */
    readonly position: number | null = null,
  ) {
    super(title);
    this.name = "Problem";
  }
}

/** A filter that the server could not read: the box it was typed into shows where. */
export function isFilterMistake(error: unknown): boolean {
  return error instanceof Problem && error.position !== null;
}

/** `api/runs/demo/steps?split=train`, relative to the page. Lists repeat their name; null and undefined are left out. */
export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    if (Array.isArray(value)) for (const item of value) search.append(name, item);
    else search.set(name, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  const text = search.toString();
  return `api/${path}${text && `?${text}`}`;
}

/** `runs/<id>/…`; ids are URL-safe, but a wrong one typed into the address bar may not be. */
export function runPath(run: string, rest = ""): string {
  return `runs/${encodeURIComponent(run)}${rest && `/${rest}`}`;
}

export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(
      "The server does not answer.",
      0,
      "",
      "Is `rollscope view` still running? This page retries by itself.",
    );
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const body = (await response.json()) as Record<string, unknown>;
    const text = (name: string): string => (typeof body[name] === "string" ? (body[name] as string) : "");
    const position = typeof body.position === "number" ? body.position : null;
    return new Problem(text("title") || response.statusText, response.status, text("detail"), text("hint"), position);
  } catch {
    return new Problem(`The server answered ${response.status} ${response.statusText}.`, response.status);
  }
}

export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await request(apiUrl(path, query), signal ? { signal } : {});
  return parseExact(await response.text()) as T;
}

/** A text of any length, decoded piece by piece as it arrives: `response.text()` would decode 20 MB in one go, and the
 * page would stand still for that long. */
export async function getText(path: string, query: Query = {}, signal?: AbortSignal): Promise<string> {
  const response = await request(apiUrl(path, query), signal ? { signal } : {});
  if (!response.body) return response.text();
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(decoder.decode(piece.value, { stream: true }));
  }
  return pieces.join("") + decoder.decode();
}

/** Send JSON (dashboards, cache). */
export async function sendJson<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  const response = await request(apiUrl(path), {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return (text ? JSON.parse(text) : null) as T;
}
