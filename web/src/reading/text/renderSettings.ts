/** How text is shown: the Render menu's switches, remembered. */

import { setting } from "../../state/settings";

export interface RenderSettings {
  /** Thinking in blocks that fold; off: as the text it is, tags and all. */
  think: boolean;
  markdown: boolean;
  latex: boolean;
  /** Code blocks monospaced and highlighted. */
  code: boolean;
  /** JSON of tool calls and results over several lines; off: exactly as it was written. */
  json: boolean;
  /** Terminal colours; off: the escape sequences as they are. */
  ansi: boolean;
}

export const renderSetting = setting<RenderSettings>("render", {
  think: true,
  markdown: true,
  latex: true,
  code: true,
  json: false,
  ansi: true,
});

/** The chat template's own tokens (`<|im_start|>user`), which the sections already stand for. */
export const markersSetting = setting("template-markers", false);

/** Long texts scroll in place, and open at their end: what the model just produced. */
export const longTextSetting = setting("long-text", { scrollInPlace: true, openAtEnd: true });

export const SWITCHES: readonly { key: keyof RenderSettings; label: string; hint: string }[] = [
  { key: "think", label: "Think blocks", hint: "fold" },
  { key: "markdown", label: "Markdown", hint: "tables, lists" },
  { key: "latex", label: "LaTeX", hint: "$…$  \\(…\\)" },
  { key: "code", label: "Code blocks", hint: "highlight" },
  { key: "json", label: "JSON", hint: "over lines" },
  { key: "ansi", label: "Terminal colours", hint: "ANSI" },
];

export function countOn(settings: RenderSettings): number {
  return SWITCHES.filter(({ key }) => settings[key]).length;
}
