/** Light, dark or the system's; the reward palette. Both are attributes on <html>; tokens.css does the rest. */

import { useSyncExternalStore } from "react";
import { readSetting, setting, useSetting } from "./settings";

export type Theme = "system" | "light" | "dark";
export type Palette = "red-green" | "colour-blind";

const themeSetting = setting<Theme>("theme", "system");
const paletteSetting = setting<Palette>("palette", "red-green");

/** Called before the first paint, so that nothing flashes. */
export function applyTheme(): void {
  const root = document.documentElement;
  const theme = readSetting(themeSetting);
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  root.dataset.palette = readSetting(paletteSetting);
  generation += 1;
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();
let generation = 0;
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
systemDark.addEventListener("change", () => applyTheme());

/** Changes whenever colours do: canvases redraw on it. */
export function useThemeGeneration(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => generation,
  );
}

export function useTheme(): { theme: Theme; dark: boolean; setTheme: (theme: Theme) => void } {
  const [theme, store] = useSetting(themeSetting);
  useThemeGeneration();
  return {
    theme,
    dark: theme === "dark" || (theme === "system" && systemDark.matches),
    setTheme: (next) => {
      store(next);
      applyTheme();
    },
  };
}

export function usePalette(): [Palette, (palette: Palette) => void] {
  const [palette, store] = useSetting(paletteSetting);
  return [
    palette,
    (next) => {
      store(next);
      applyTheme();
    },
  ];
}

let probe: HTMLElement | null = null;

/** The value of a colour token now, resolved for canvas: `readColour("--run-1")`. Read again when useThemeGeneration changes. */
export function readColour(token: string): string {
  if (!probe) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}
