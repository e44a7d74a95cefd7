// From numbers to places in a picture, and the numbers that stand beside it.
import { number, seconds as clock } from "./format";

export interface Scale {
  min: number;
  max: number;
  log: boolean;
  texts?: string[];
  /** Between whole numbers nothing is marked. */
  whole?: boolean;
  /** Of a time: marked in minutes and hours. */
  seconds?: boolean;
  /** Marked at powers of two. */
  bytes?: boolean;
  /** The few numbers that there are: these are marked. */
  marks?: number[];
  /** How its numbers are written; unsaid, as numbers. */
  unit?: (v: number) => string;
}

export function fit(values: ArrayLike<number>, log: boolean, texts?: string[], mask?: Uint8Array): Scale {
  if (texts) return { min: -0.5, max: Math.max(texts.length - 0.5, 0.5), log: false, texts };
  let min = Infinity, max = -Infinity, whole = true;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if ((mask && !mask[i]) || !Number.isFinite(v) || (log && v <= 0)) continue;
    whole = whole && v % 1 === 0;
    if (v < min) min = v;
    if (v > max) max = v;
  }
  if (min > max) return { min: log ? 1 : 0, max: log ? 10 : 1, log };
  if (min === max) {
    const room = log ? 1 : Math.abs(min) * 0.05 || 0.5;
    return log ? { min: min / 2, max: max * 2, log } : { min: min - room, max: max + room, log };
  }
  return { min, max, log, whole };
}

/** Whether a picture of these is better with a logarithmic axis: all positive, over two decades. */
export function wantsLog(values: ArrayLike<number>): boolean {
  let min = Infinity, max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (!Number.isFinite(v)) continue;
    if (v <= 0) return false;
    if (v < min) min = v;
    if (v > max) max = v;
  }
  return max / min > 100;
}

/** 0 at the least, 1 at the greatest. */
export function part(s: Scale, v: number): number {
  return s.log ? Math.log(v / s.min) / Math.log(s.max / s.min) : (v - s.min) / (s.max - s.min);
}

export function from(s: Scale, part: number): number {
  return s.log ? s.min * Math.pow(s.max / s.min, part) : s.min + part * (s.max - s.min);
}

export function ticks(s: Scale, most: number): { at: number; text: string }[] {
  if (s.texts) {
    const every = Math.ceil(s.texts.length / most);
    return s.texts.map((text, i) => ({ at: i, text })).filter((_, i) => i % every === 0);
  }
  const list = s.marks ? apart(s, most) : s.log ? logTicks(s, most) : linearTicks(s, most);
  return list.map((at) => ({ at, text: s.unit ? s.unit(at) : s.seconds ? clock(at) : number(at) }));
}

/** Marks that do not stand on each other. */
function apart(s: Scale, most: number): number[] {
  let last = -Infinity;
  return s.marks!.filter((v) => {
    const room = part(s, v) - last >= 0.5 / most;
    if (room) last = part(s, v);
    return room;
  });
}

function linearTicks(s: Scale, most: number): number[] {
  const raw = (s.max - s.min) / Math.max(most, 1);
  if (s.bytes) return binaryTicks(s, raw);
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const steps = s.seconds && raw > 1 ? [2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200]
    : [1, 2, 5, 10].map((f) => f * power);
  const days = Math.ceil(raw / 86400) * 86400;
  // A little more than were asked for is better than half of them.
  const step = Math.max(steps.find((f) => f >= (s.seconds ? raw : 0.65 * raw)) ?? days, s.whole ? 1 : 0);
  const list = [];
  for (let k = Math.ceil(s.min / step); k * step <= s.max + step * 1e-9; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}

function binaryTicks(s: Scale, raw: number): number[] {
  const step = Math.pow(2, Math.round(Math.log2(Math.max(raw, 1)))), list = [];
  for (let k = Math.ceil(s.min / step); k * step <= s.max; k++) list.push(k * step);
  return list;
}

function logTicks(s: Scale, most: number): number[] {
  const low = Math.log10(s.min), high = Math.log10(s.max);
  const every = Math.max(Math.ceil((high - low) / most), 1);
  const list = [];
  for (let e = Math.ceil(low - 1e-9); e <= high + 1e-9; e += every) list.push(Math.pow(10, e));
  return list.length > 1 ? list : linearTicks({ ...s, log: false }, most).filter((v) => v > 0);
}
