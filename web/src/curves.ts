// Learning curves as they are drawn: of single trials, or bands of very many.
import uPlot from "uplot";
import { categories } from "./colors";
import { TableOf } from "./figure";
import { exactCount, number, plural } from "./format";

export interface CurvesOf {
  curves: { trial: number; points: number; steps: number[]; times: (number | null)[]; values: (number | string)[] }[];
  cut: boolean;
}

export interface BandsOf {
  total: number;
  used: number;
  quantiles: number[];
  steps: number[];
  groups: { value: unknown; trials: number; bands: (number | null)[][] }[];
}

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** Exponential smoothing that begins without a pull to zero. */
export function smooth(values: (number | null)[], weight: number): (number | null)[] {
  let sum = 0, total = 0;
  return values.map((v) => {
    if (v === null || !weight) return v;
    sum = sum * weight + v * (1 - weight);
    total = total * weight + 1 - weight;
    return sum / total;
  });
}

/** Curves, or bands: what uPlot wants, and what they say. */
export interface CurvePicture {
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  bands?: uPlot.Band[];
  words: string;
  table: () => TableOf;
}

export function curvesPicture(a: CurvesOf, byTime: boolean, weight: number): CurvePicture {
  const xs = a.curves.map((c) => {
    const start = c.times.find((t) => t !== null) ?? 0;
    return byTime ? c.times.map((t) => (t === null ? NaN : t - start)) : c.steps;
  });
  const x = [...new Set(xs.flat().filter(Number.isFinite))].sort((p, q) => p - q);
  const place = new Map(x.map((v, i) => [v, i]));
  const columns = a.curves.map((c, k) => {
    const list = new Array<number | null | undefined>(x.length).fill(undefined);
    const values = smooth(c.values.map((v) => (Number.isFinite(Number(v)) ? Number(v) : null)), weight);
    xs[k].forEach((v, i) => Number.isFinite(v) && (list[place.get(v)!] = values[i]));
    return list;
  });
  return {
    data: [x, ...columns] as uPlot.AlignedData,
    series: a.curves.map((c, k) => ({
      label: `trial ${c.trial}`,
      stroke: categories[k % categories.length],
      dash: dashes[Math.floor(k / categories.length) % dashes.length],
      width: 1.5,
      spanGaps: true,
      points: { show: c.points < 30, size: 4 },
      value: (_: uPlot, v: number | null) => (v === null || v === undefined ? "" : number(v)),
    })),
    words: `${plural(a.curves.length, "curve")}${a.cut ? " (more were left out)" : ""}.`,
    table: () => ({
      head: ["trial", byTime ? "seconds" : "step", "value"],
      rows: a.curves.flatMap((c, k) => c.values.map((v, i) => [c.trial, xs[k][i], v])),
    }),
  };
}

export function bandsPicture(b: BandsOf): CurvePicture {
  const columns: (number | null)[][] = [];
  const series: uPlot.Series[] = [], bands: uPlot.Band[] = [];
  b.groups.forEach((g, k) => {
    const color = categories[k % categories.length];
    const name = g.value === null ? "all" : String(g.value);
    const at = columns.length + 1;
    [1, 2, 3, 4, 5].forEach((q) => {
      columns.push(g.bands.map((row) => row[q]));
      series.push({
        label: q === 3 ? `${name} (median)` : `${name} ${100 * b.quantiles[q - 1]} %`,
        class: q === 3 ? undefined : "edge", // named by its band
        stroke: q === 3 ? color : "transparent",
        dash: dashes[Math.floor(k / categories.length)],
        width: q === 3 ? 2 : 0,
        points: { show: false },
        value: (_: uPlot, v: number | null) => (v === null ? "" : number(v)),
      });
    });
    bands.push({ series: [at + 4, at], fill: color + "22" }, { series: [at + 3, at + 1], fill: color + "33" });
  });
  return {
    data: [b.steps, ...columns] as uPlot.AlignedData,
    series,
    bands,
    words: `Bands of ${exactCount(b.used)} trials in ${b.groups.length} group${b.groups.length === 1 ? "" : "s"}: medians, and what holds half and nine tenths of them.`,
    table: () => ({
      head: ["group", "step", "trials", ...b.quantiles.map((q) => `${100 * q} %`)],
      rows: b.groups.flatMap((g) => g.bands.map((row, i) => [String(g.value ?? "all"), b.steps[i], ...row.map((v) => v ?? undefined)])),
    }),
  };
}
