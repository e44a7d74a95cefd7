// All trials of a study as columns, as the server sends them.

export type Numbers = Float64Array | Float32Array | Uint32Array;

export interface Column {
  name: string;
  source: string;
  /** Of a column of numbers; NaN: none. */
  numbers?: Numbers;
  /** Of a column of texts: 0 is none, else one more than the place. */
  codes?: Uint8Array | Uint32Array;
  texts?: string[];
}

export interface Columns {
  made: number;
  revision: number;
  rows: number;
  list: Column[];
  /** Places of the rows that came, where not all did. */
  places?: Uint32Array;
}

interface Head {
  made: number;
  revision: number;
  rows: number;
  count: number;
  columns: { name: string; source: string; type: string; offset: number; texts?: string[] }[];
}

export function readColumns(bytes: ArrayBuffer): Columns {
  const size = new DataView(bytes).getUint32(0, true);
  const head: Head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, size)));
  const columns: Columns = { made: head.made, revision: head.revision, rows: head.rows, list: [] };
  for (const c of head.columns) {
    const at = 4 + size + c.offset;
    const column: Column = { name: c.name, source: c.source };
    if (c.type === "f64") column.numbers = new Float64Array(bytes, at, head.count);
    else if (c.type === "f32") column.numbers = new Float32Array(bytes, at, head.count);
    else if (c.type === "u32") column.numbers = new Uint32Array(bytes, at, head.count);
    else column.codes = c.type === "text8" ? new Uint8Array(bytes, at, head.count)
                                           : new Uint32Array(bytes, at, head.count);
    column.texts = c.texts;
    if (c.source === "row") columns.places = column.numbers as Uint32Array;
    else columns.list.push(column);
  }
  return columns;
}

export function find(columns: Columns, name: string): Column | undefined {
  return columns.list.find((c) => c.name === name);
}

/** A row's number or text; undefined: none. */
export function cell(c: Column | undefined, row: number): number | string | undefined {
  if (!c) return undefined;
  if (c.numbers) {
    const v = c.numbers[row];
    return Number.isNaN(v) ? undefined : v;
  }
  const code = c.codes![row];
  return code ? c.texts![code - 1] : undefined;
}

/** Numbers to draw with: of texts, their places in the order of the alphabet. */
export function drawn(c: Column, rows: number): { values: ArrayLike<number>; texts?: string[] } {
  if (c.numbers) return { values: c.numbers };
  const order = c.texts!.map((_, i) => i).sort((a, b) => compareTexts(c.texts![a], c.texts![b]));
  const place = new Float64Array(c.texts!.length + 1).fill(NaN);
  order.forEach((text, i) => (place[text + 1] = i));
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) values[i] = place[c.codes![i]];
  return { values, texts: order.map((i) => c.texts![i]) };
}

/** Numbers in texts as numbers: x2 before x10. */
export function compareTexts(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** A number for a row that looks like chance and is always the same, from 0 to 1. */
export function chance(row: number): number {
  let h = Math.imul(row + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return ((h ^ (h >>> 13)) >>> 0) / 4294967296;
}

/** Whether there are so few values that trials lie on top of each other. */
export function isDiscrete(values: ArrayLike<number>, most = 48): boolean {
  const seen = new Set<number>();
  let count = 0;
  for (let i = 0; i < values.length && seen.size <= most; i++)
    if (!Number.isNaN(values[i])) {
      seen.add(values[i]);
      count++;
    }
  return seen.size <= most && seen.size <= count / 2;
}

/** The numbers of a column that has few, from the least; undefined: it has many. */
export function fewValues(values: ArrayLike<number>, most: number): number[] | undefined {
  if (!isDiscrete(values, most)) return undefined;
  return [...new Set(Array.from(values).filter(Number.isFinite))].sort((a, b) => a - b);
}

export function isConstant(c: Column, rows: number): boolean {
  const list = c.numbers ?? c.codes!;
  for (let i = 1; i < rows; i++)
    if (list[i] !== list[0] && !(Number.isNaN(list[i]) && Number.isNaN(list[0]))) return false;
  return true;
}

/** Puts rows that changed into what is there; false: everything must be read anew. */
export function merge(all: Columns, part: Columns): boolean {
  if (part.made !== all.made || !part.places) return false;
  if (part.rows !== all.rows) grow(all, part.rows);
  for (const c of part.list) {
    const own = all.list.find((o) => o.name === c.name && o.source === c.source);
    if (!own || !own.numbers !== !c.numbers) return false;
    if (c.numbers && kind(c.numbers) > kind(own.numbers!)) own.numbers = Float64Array.from(own.numbers!);
    if (c.codes && c.codes.BYTES_PER_ELEMENT > own.codes!.BYTES_PER_ELEMENT) own.codes = Uint32Array.from(own.codes!);
    if (c.texts) own.texts = c.texts;
    const to = own.numbers ?? own.codes!, from = c.numbers ?? c.codes!;
    for (let i = 0; i < part.places.length; i++) to[part.places[i]] = from[i];
  }
  all.revision = part.revision;
  return true;
}

function kind(n: Numbers): number {
  return n instanceof Float64Array ? 2 : n instanceof Float32Array ? 1 : 0;
}

function grow(all: Columns, rows: number) {
  for (const c of all.list) {
    const old = (c.numbers ?? c.codes!) as Float64Array;
    const next = new (old.constructor as Float64ArrayConstructor)(rows);
    if (c.numbers && kind(c.numbers)) next.fill(NaN);
    next.set(old.subarray(0, Math.min(old.length, rows)));
    if (c.numbers) c.numbers = next;
    else c.codes = next as unknown as Uint32Array;
  }
  all.rows = rows;
}
