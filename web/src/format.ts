// Numbers, times and sizes as people say them; the exact ones are a hover away.

export function number(v: number | undefined | null, digits = 4): string {
  if (v === undefined || v === null) return "";
  if (!Number.isFinite(v)) return Number.isNaN(v) ? "" : v > 0 ? "∞" : "−∞";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (Number.isInteger(v) && size < 1e6) return minus(String(v));
  if (size >= 1e6 || size < 1e-4) {
    const [m, e] = v.toExponential(digits - 1).split("e");
    return minus(`${Number(m)}e${Number(e)}`);
  }
  return minus(String(Number(v.toPrecision(digits))));
}

function minus(text: string): string {
  return text.replace(/^-/, "−");
}

/** 1.2 k, 3.4 M: of things that are counted. */
export function count(n: number): string {
  if (n < 10_000) return String(n);
  const units: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [size, unit] = units.find(([s]) => n >= s)!;
  return `${Number((n / size).toPrecision(3))} ${unit}`;
}

export function exactCount(n: number): string {
  return n.toLocaleString("en");
}

export function seconds(s: number | undefined | null): string {
  if (s === undefined || s === null || Number.isNaN(s)) return "";
  if (s > 0 && s < 1) return `${s < 0.01 ? Number((s * 1000).toPrecision(1)) : Math.round(s * 1000)} ms`;
  if (s < 60) return `${Number(s.toPrecision(3))} s`;
  const parts: [number, string][] = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = parts.findIndex(([size]) => s >= size);
  const [size, unit] = parts[first];
  const whole = Math.floor(s / size);
  const next = parts[first + 1];
  const rest = next ? Math.floor((s - whole * size) / next[0]) : 0;
  return rest ? `${whole} ${unit} ${rest} ${next[1]}` : `${whole} ${unit}`;
}

export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${Number(n.toPrecision(3))} ${units[i]}`;
}

export function time(unix: number | undefined | null): string {
  if (!unix) return "";
  const d = new Date(unix * 1000);
  const same = d.toDateString() === new Date().toDateString();
  const clock = d.toTimeString().slice(0, 5);
  return same ? clock : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock}`;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** A moment as tables have it: exact, and to be read. */
export function moment(unix: number | undefined | null): string {
  return unix ? new Date(unix * 1000).toISOString() : "";
}

export function value(v: unknown): string {
  if (typeof v === "number") return number(v);
  if (v === undefined || v === null) return "";
  return typeof v === "string" ? v : JSON.stringify(v);
}

export function plural(n: number, word: string, ending = "s"): string {
  return `${exactCount(n)} ${word}${n === 1 ? "" : ending}`;
}
