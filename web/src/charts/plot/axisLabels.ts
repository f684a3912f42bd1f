/** Figures on axes, and where on an axis something is. Values in tooltips are lib/numbers' as everywhere. */
import { formatCount, minus } from "../../lib/numbers";
import type { XAxis } from "../series/series";

/** Labels of one axis: all with the same number of decimals, so that they stand in a column. */
export function formatTicks(ticks: readonly (number | null)[]): string[] {
  const shown = ticks.filter((tick): tick is number => tick !== null);
  const largest = Math.max(...shown.map(Math.abs), 0);
  const step = shown.length > 1 ? Math.abs((shown[1] as number) - (shown[0] as number)) : largest;
  const [unit, suffix] = unitOf(largest, step);
  const decimals = decimalsOf(step / unit);
  const isPowerNeeded = largest > 0 && (largest < 1e-3 || largest >= 1e12 || decimals > MOST_DECIMALS);
  return ticks.map((tick) => {
    if (tick === null) return "";
    if (tick === 0) return "0";
    return minus(isPowerNeeded ? withPower(tick, step) : (tick / unit).toFixed(decimals) + suffix);
  });
}

/** What still reads as a number; a flat line's figures may differ in the sixth place. */
const MOST_DECIMALS = 7;

/** How many decimals it takes to write a distance exactly (0.25 → 2), as far as it makes sense to count. */
function decimalsOf(distance: number): number {
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
    const scaled = distance * 10 ** decimals;
    const error = Math.abs(scaled - Math.round(scaled));
    if (distance === 0 || (Math.round(scaled) > 0 && error < 1e-3 * scaled)) return decimals;
  }
  return MOST_DECIMALS + 1;
}

/** 2.5e-5, 1e30: with the digits that tell it from its neighbours, and no more. */
function withPower(tick: number, step: number): string {
  const digits = Math.floor(Math.log10(Math.abs(tick))) - Math.floor(Math.log10(step)) + 1;
  return exponent(tick.toExponential(Math.min(15, Math.max(1, digits))));
}

function unitOf(largest: number, step: number): [number, string] {
  if (largest >= 1e9) return [1e9, "B"];
  if (largest >= 1e6) return [1e6, "M"];
  // Steps are read as numbers ("1200"), not as 1.2k, until they need five figures.
  if (largest >= 1e4 && step >= 100) return [1e3, "k"];
  return [1, ""];
}

/** Ticks of a logarithmic axis are only those uPlot left (the others are null). */
export function formatLogTicks(ticks: readonly (number | null)[]): string[] {
  return ticks.map((tick) => {
    if (tick === null) return "";
    return minus(tick >= 1e4 || tick < 1e-2 ? exponent(tick.toExponential()) : String(tick));
  });
}

function exponent(text: string): string {
  const [digits = "", power = ""] = text.split("e");
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return `${short}e${power.replace("+", "")}`;
}

const pad = (part: number): string => String(part).padStart(2, "0");

/** Seconds since a run began: 0:45, 12:30, 3:05:00, and days where there are. */
export function formatRelative(seconds: number): string {
  const whole = Math.round(seconds);
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor((whole % 86_400) / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** Ticks of the relative axis, as coarse as the distance between them. */
export function formatRelativeTicks(ticks: readonly (number | null)[]): string[] {
  const shown = ticks.filter((tick): tick is number => tick !== null);
  const step = shown.length > 1 ? (shown[1] as number) - (shown[0] as number) : 0;
  return ticks.map((tick) => {
    if (tick === null) return "";
    if (step >= 86_400) return `${+(tick / 86_400).toFixed(1)} d`;
    if (step >= 1800) return `${+(tick / 3600).toFixed(1)} h`;
    if (step >= 60) return `${+(tick / 60).toFixed(1)} min`;
    return `${+tick.toFixed(1)} s`;
  });
}

/** A moment, in the reader's own time zone, 24 hours. */
function formatClock(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function formatClockTicks(ticks: readonly (number | null)[]): string[] {
  const shown = ticks.filter((tick): tick is number => tick !== null);
  const step = shown.length > 1 ? (shown[1] as number) - (shown[0] as number) : 0;
  return ticks.map((tick) => {
    if (tick === null) return "";
    const date = new Date(tick * 1000);
    if (step >= 43_200) return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
    const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
    return step < 60 ? `${time}:${pad(date.getSeconds())}` : time;
  });
}

/** Where on the x axis something is, in words. */
export function formatX(x: number, axis: XAxis): string {
  if (axis === "step") return `step ${formatCount(x)}`;
  return axis === "wall" ? formatClock(x) : formatRelative(x);
}

export function xTicks(axis: XAxis): (ticks: readonly (number | null)[]) => string[] {
  return { step: formatTicks, wall: formatClockTicks, relative: formatRelativeTicks }[axis];
}
