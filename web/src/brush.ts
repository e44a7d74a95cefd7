// A brush keeps a part of what is shown: numbers from one to another, or some texts. It stands in the address, and can
// be had as a filter.
import { Column } from "./columns";
import { from, Scale } from "./scale";

export interface Brush {
  /** Of a parameter, or of the metric that is aimed at. */
  name: string;
  /** Both ends are kept; infinite where it has none. */
  low: number;
  high: number;
  /** Of an axis of texts: those that are kept. */
  texts?: string[];
}

const TEXTS = "in";

/** Letters that mean something in the address are written otherwise. */
const packed = (text: string) => encodeURIComponent(text).replaceAll("*", "%2A");

/** lr*0.001*0.1, lr**0.1, opt*in*adam*sgd */
export function brushText(b: Brush): string {
  const end = (v: number) => (Number.isFinite(v) ? String(v) : "");
  return [b.name, ...(b.texts ? [TEXTS, ...b.texts] : [end(b.low), end(b.high)])].map(packed).join("*");
}

/** Undefined: somebody has written it by hand, and wrongly. */
export function readBrush(text: string): Brush | undefined {
  try {
    const [name, first, ...rest] = text.split("*").map(decodeURIComponent);
    if (first === TEXTS) return { name, low: NaN, high: NaN, texts: rest };
    const low = first ? Number(first) : -Infinity, high = rest[0] ? Number(rest[0]) : Infinity;
    return first === undefined || rest.length !== 1 || Number.isNaN(low) || Number.isNaN(high) ? undefined : { name, low, high };
  } catch {
    return undefined;
  }
}

/** Takes out of the mask what a brush does not keep. */
export function keep(mask: Uint8Array, c: Column, b: Brush) {
  if (c.codes) {
    const kept = new Set((b.texts ?? []).map((t) => c.texts!.indexOf(t) + 1).filter(Boolean));
    for (let i = 0; i < mask.length; i++) if (!kept.has(c.codes[i])) mask[i] = 0;
  } else if (!b.texts) {
    const { low, high } = b, values = c.numbers!;
    for (let i = 0; i < mask.length; i++) if (!(values[i] >= low && values[i] <= high)) mask[i] = 0;
  }
}

/** As short as a dot of the picture lets it be. */
function rounded(s: Scale, place: number): number {
  const v = from(s, place), step = Math.abs(from(s, Math.min(place + 0.001, 1)) - from(s, Math.max(place - 0.001, 0)));
  const digits = Math.ceil(Math.log10(Math.abs(v) / step)) + 1;
  return Number.isFinite(digits) ? Number(v.toPrecision(Math.min(Math.max(digits, 1), 17))) : v;
}

/** What lies between two places of an axis, from 0 to 1; what reaches its end has no end. */
export function between(name: string, s: Scale, low: number, high: number): Brush {
  if (s.texts) {
    const cell = (i: number) => (i + 0.5) / s.texts!.length;
    return { name, low: NaN, high: NaN, texts: s.texts.filter((_, i) => cell(i) >= low && cell(i) <= high) };
  }
  return { name, low: low <= 0 ? -Infinity : rounded(s, low), high: high >= 1 ? Infinity : rounded(s, high) };
}

/** The same in the words of `rank --where`; empty: it keeps all. */
export function brushFilter(b: Brush, isMetric: boolean): string {
  const name = isMetric ? "value" : `\`${b.name}\``;
  if (b.texts) return `${name} in (${b.texts.map((t) => `"${t.replace(/["\\]/g, "\\$&")}"`).join(", ")})`;
  return [b.low > -Infinity && `${name} >= ${b.low}`, b.high < Infinity && `${name} <= ${b.high}`].filter(Boolean).join(" and ");
}
