// How do they learn: curves of the chosen or the best trials, or bands of very many.
import uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { html } from "../html";
import { getJson } from "../api";
import { categories } from "../colors";
import { Numbers, TableOf, asCsv, copy } from "../figure";
import { exactCount, number } from "../format";
import { go, Place } from "../place";
import { Study, useAnswer, useStudy } from "../study";
import { bestRows } from "./overview";

interface CurvesOf {
  curves: { trial: number; points: number; steps: number[]; times: (number | null)[]; values: (number | string)[] }[];
  cut: boolean;
}

interface BandsOf {
  total: number;
  used: number;
  quantiles: number[];
  steps: number[];
  groups: { value: unknown; trials: number; bands: (number | null)[][] }[];
}

/** Between whole numbers there is no step. */
const steps = [1, 2, 5].flatMap((f) => [...Array(12).keys()].map((e) => f * 10 ** e)).sort((a, b) => a - b);

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

interface Picture {
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  bands?: uPlot.Band[];
  words: string;
  table: () => TableOf;
}

function curvesPicture(a: CurvesOf, byTime: boolean, weight: number): Picture {
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
    words: `${a.curves.length} curves${a.cut ? " (more were left out)" : ""}.`,
    table: () => ({
      head: ["trial", byTime ? "seconds" : "step", "value"],
      rows: a.curves.flatMap((c, k) => c.values.map((v, i) => [c.trial, xs[k][i], v])),
    }),
  };
}

function bandsPicture(b: BandsOf): Picture {
  const columns: (number | null)[][] = [];
  const series: uPlot.Series[] = [], bands: uPlot.Band[] = [];
  b.groups.forEach((g, k) => {
    const color = categories[k % categories.length];
    const name = g.value === null ? "all" : String(g.value);
    const at = columns.length + 1;
    [1, 2, 3, 4, 5].forEach((q) => {
      columns.push(g.bands.map((row) => row[q]));
      series.push({
        label: `${name} ${100 * b.quantiles[q - 1]} %`,
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

function Plot({ picture, logY, title, xName }: { picture: Picture; logY: boolean; title: string; xName: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!box.current || open) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim(), faint = style.getPropertyValue("--faint").trim();
    const axis = { stroke: ink, grid: { stroke: faint, width: 0.5 }, ticks: { stroke: faint, width: 0.5 }, font: `12px ${style.getPropertyValue("--font")}` };
    const size = () => ({ width: box.current?.clientWidth ?? 0, height: 420 });
    const whole = (picture.data[0] as number[]).every(Number.isInteger);
    const plot = new uPlot({
      ...size(),
      scales: { x: { time: false }, y: { distr: logY ? 3 : 1 } },
      axes: [{ ...axis, label: xName, labelSize: 20, incrs: whole ? steps : undefined }, { ...axis, size: 64, values: (_, v) => v.map((n) => (n === null ? "" : number(n))) }],
      series: [{ label: xName }, ...picture.series],
      bands: picture.bands,
      legend: { show: picture.series.length <= 24 },
      cursor: { focus: { prox: 24 } },
      focus: { alpha: 0.25 },
    }, picture.data, box.current);
    const watch = new ResizeObserver(() => box.current && plot.setSize(size()));
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [picture, logY, open]);
  return html`<figure class="figure" data-figure="curves"><figcaption><h3>${title}</h3><span class="note">${picture.words}</span>
    <span class="tools"><button type="button" aria-pressed=${open} onClick=${() => setOpen(!open)}>Table</button>
      <button type="button" onClick=${() => copy(asCsv(picture.table()), "the numbers")}>Copy numbers</button></span></figcaption>
    <div role="img" aria-label=${`${title}. ${picture.words}`} hidden=${open} ref=${box}></div>
    ${open && html`<${Numbers} table=${picture.table()} title=${title} />`}</figure>`;
}

const BEST = 20;

export function Curves({ study, place }: { study: Study; place: Place }) {
  useStudy(study);
  const [log, setLog] = useState(false);
  const [byTime, setByTime] = useState(false);
  const [by, setBy] = useState("");
  const [way, setWay] = useState(place.chosen.length ? "chosen" : "best");
  const metrics = study.about?.metrics ?? [];
  const metric = place.metric || study.about?.metric || metrics[0] || "";
  const ids = study.trials();
  const trials = way === "chosen" && place.chosen.length ? place.chosen : bestRows(study, BEST).map((r) => ids[r]);
  const wants = trials.join(",");
  const curves = useAnswer(
    () => (way === "bands" || !metric || !wants ? Promise.resolve(undefined)
      : getJson<CurvesOf>(study.path("curves"), { trials: wants, metric, points: 600 })),
    [way, metric, wants, study.columns!.revision]);
  const bands = useAnswer(
    () => (way !== "bands" || !metric ? Promise.resolve(undefined)
      : getJson<BandsOf>(study.path("bands"), { metric, where: place.where, by, points: 200 })),
    [way, metric, place.where, by, study.standing?.finished]);
  const picture = useMemo(() => {
    if (way === "bands") return bands.answer && bandsPicture(bands.answer);
    return curves.answer && curvesPicture(curves.answer, byTime, place.smooth);
  }, [way, curves.answer, bands.answer, byTime, place.smooth]);
  const fault = way === "bands" ? bands.fault : curves.fault;
  if (!metrics.length) return html`<p class="empty">No trial has reported a metric yet.</p>`;
  return html`<div class="controls">
    <label>Metric <select value=${metric} onChange=${(e: Event) => go({ metric: (e.target as HTMLSelectElement).value }, true)}>
      ${metrics.map((m) => html`<option>${m}</option>`)}</select></label>
    <label>Of <select value=${way} onChange=${(e: Event) => setWay((e.target as HTMLSelectElement).value)}>
      <option value="best">the best ${BEST}</option><option value="chosen" disabled=${!place.chosen.length}>those selected (${place.chosen.length})</option>
      <option value="bands">all, as bands</option></select></label>
    ${way === "bands" && html`<label>By <select value=${by} onChange=${(e: Event) => setBy((e.target as HTMLSelectElement).value)}>
      <option value="">no parameter</option>${study.parameters().map((p) => html`<option>${p.name}</option>`)}</select></label>`}
    ${way !== "bands" && html`<label>Smoothing <input type="range" min="0" max="0.98" step="0.02" value=${place.smooth}
      onInput=${(e: Event) => go({ smooth: Number((e.target as HTMLInputElement).value) }, true)} /> ${number(place.smooth)}</label>
    <label><input type="checkbox" checked=${byTime} onChange=${() => setByTime(!byTime)} /> over time</label>`}
    <label><input type="checkbox" checked=${log} onChange=${() => setLog(!log)} /> logarithmic</label></div>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${picture && html`<${Plot} picture=${picture} logY=${log} title=${metric} xName=${byTime && way !== "bands" ? "seconds since its first report" : "step"} />`}
    ${way === "bands" && bands.answer && bands.answer.used < bands.answer.total && html`<p class="note">
      Of ${exactCount(bands.answer.total)} trials ${exactCount(bands.answer.used)} were taken, evenly.</p>`}`;
}
