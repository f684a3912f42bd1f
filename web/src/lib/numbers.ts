/** Numbers as people read them. Signs are real minus signs, so that columns line up in tabular figures. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A value of unknown kind, in at most five figures: 1,887 · 0.8 · 12.35 · 3.2e−7. */
export function formatValue(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return minus(whole.format(value));
  if (size >= 1e15 || size < 1e-4) return minus(value.toExponential(2).replace("e+", "e"));
  if (size >= 1000) return minus(whole.format(value));
  const decimals = size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 3 : 5;
  return minus(String(Number(value.toFixed(decimals))));
}

/** A reward: two decimals, more only where two would hide it. */
export function formatReward(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1000 || (size > 0 && size < 0.001)) return formatValue(value);
  const two = value.toFixed(2);
  return minus(Math.abs(Number(two) - value) > 1e-9 && size < 0.1 ? value.toFixed(3) : two);
}

/** A reward or metric in a narrow column, in at most six characters: −0.54 · 123.5 · 12k · 1.2e30 · −∞. */
export function formatCell(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return minus(String(value).replace("Infinity", "∞"));
  const size = Math.abs(value);
  if (size >= 999.5e6 || (size > 0 && size < 0.001)) return minus(powerOfTen(value));
  if (size >= 999.95) return formatShort(value);
  return size >= 99.995 ? minus(value.toFixed(1)) : formatReward(value);
}

function powerOfTen(value: number): string {
  const written = (decimals: number): string => value.toExponential(decimals).replace("e+", "e").replace(".0e", "e");
  return written(1).length <= 6 ? written(1) : written(0);
}

/** +1.62, −0.54, 0.00: the sign beside the colour. */
export function formatSigned(value: number | null | undefined): string {
  return withSign(value, formatReward(value));
}

/** What is above zero has its sign too, unless it is written as zero. */
export function withSign(value: number | null | undefined, text: string): string {
  return typeof value === "number" && value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A share as people say it: 0.3%, 7.9%, 32%. One that is there is never 0%, and what is not all is never 100%. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  const value = share * 100;
  const size = Math.abs(value);
  if (size > 0 && size < 0.05) return value > 0 ? "< 0.1%" : "> −0.1%";
  if (value >= 99.5 && value < 100) return "> 99%";
  return `${minus(size > 0 && size < 10 ? value.toFixed(1) : value.toFixed(0))}%`;
}

export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : minus(whole.format(value));
}

/** A count that fits a narrow column: 9,999 · 12k · 1.2M. */
export function formatShort(value: number | null | undefined): string {
  if (value === null || value === undefined || Math.abs(value) < 10_000) return formatCount(value);
  const [scaled, unit] = Math.abs(value) < 999_500 ? [value / 1e3, "k"] : [value / 1e6, "M"];
  return `${minus(scaled.toFixed(Math.abs(scaled) < 9.95 ? 1 : 0))}${unit}`;
}

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** 512 B, 14 KB, 1.2 MB. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** 41 ms, 3.1 s, 4 min. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return String(seconds);
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function minus(text: string): string {
  return text.replace(/^-0(?:\.0+)?$/, (zero) => zero.slice(1)).replaceAll("-", "−");
}
