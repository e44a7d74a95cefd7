// Is the machine used: attempts at once over time, and which ran where.
import { html } from "../html";
import { getJson, isExport } from "../api";
import { area, axes, label, px, py, steps } from "../axes";
import { categories, states } from "../colors";
import { Drawing, Figure } from "../figure";
import { bytes, exactCount, moment, number, plural, seconds } from "../format";
import { fit, Scale } from "../scale";
import { openTrial } from "../top";
import { plotCommand } from "../plot_command";
import { Study, useAnswer } from "../study";
import { MachineView } from "./machine";

interface Span {
  trial: number;
  attempt: number;
  host: number;
  lane: number;
  outcome: string;
  from: number;
  to: number;
}

interface LoadOf {
  from: number;
  to: number;
  width: number;
  attempts: number;
  mean: number[];
  most: number[];
  waiting: number[];
  cpus: number[];
  memory_bytes: number[];
  gpu: Record<string, (number | null)[]> | null;
  waits: { attempts: number; median: number; nine_tenths: number; most: number };
  hosts: { host: string; mean: number[] }[];
  spans: Span[] | null;
}

function useLoad(study: Study): { answer?: LoadOf; fault: string } {
  const second = Math.floor(study.heard / 2000);
  return useAnswer(() => getJson<LoadOf>(study.path("load")), [study.name, study.standing?.running ? second : study.columns!.revision]);
}

/** Lists on top of each other; what is null adds nothing. */
function stack(d: Drawing, a: ReturnType<typeof area>, x: Scale, y: Scale, width: number, lists: { values: (number | null)[]; color: string }[]) {
  const { ctx } = d, below: number[] = [];
  ctx.globalAlpha = 0.75;
  for (const { values, color } of lists) {
    ctx.fillStyle = color;
    values.forEach((v, i) => {
      const from = below[i] ?? 0, left = Math.round(px(a, x, i * width)), right = Math.round(px(a, x, (i + 1) * width));
      const top = py(a, y, from + (v ?? 0));
      ctx.fillRect(left, top, right - left, py(a, y, from) - top);
      below[i] = from + (v ?? 0);
    });
  }
  ctx.globalAlpha = 1;
}

function drawLoad(d: Drawing, l: LoadOf) {
  const most = Math.max(...l.most, 1);
  const x: Scale = { min: 0, max: Math.max(l.to - l.from, 1e-3), log: false, seconds: true };
  const y: Scale = { min: 0, max: most * 1.05, log: false, whole: true };
  const a = area(d);
  axes(d, a, x, y, "since the first start", "attempts at once");
  const { ctx } = d;
  stack(d, a, x, y, l.width, l.hosts.map((h, k) => ({ values: h.mean, color: categories[k % categories.length] })));
  ctx.strokeStyle = d.ink;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  l.most.forEach((v, i) => ctx.lineTo(px(a, x, (i + 0.5) * l.width), py(a, y, v)));
  ctx.stroke();
  ctx.setLineDash([]);
}

function meanOf(l: LoadOf): number {
  return l.mean.reduce((s, v) => s + v, 0) / Math.max(l.mean.length, 1);
}

export function LoadFigure({ study, height }: { study: Study; height: number }) {
  return html`<${LoadPicture} study=${study} height=${height} ...${useLoad(study)} />`;
}

function LoadPicture({ study, height, answer: l, fault }: { study: Study; height: number; answer?: LoadOf; fault: string }) {
  if (!l || !l.mean.length)
    return html`<section><h3>Load</h3><p class="empty">${fault || (l ? "Nothing has run yet." : "Reading when attempts ran …")}</p></section>`;
  const words = `${plural(l.attempts, "attempt")} on ${plural(l.hosts.length, "host")} in ${seconds(l.to - l.from)}; on average ${number(meanOf(l), 3)} at once, at most ${Math.max(...l.most)}.`;
  return html`<${Figure} title="Load" id="load" command=${plotCommand(study, "load")} height=${height} draw=${(d: Drawing) => drawLoad(d, l)} deps=${[l]} words=${words}
    note="mean (area), most at once (dashes)"
    table=${() => ({
      head: ["from", "mean", "most", ...l.hosts.map((h) => h.host)],
      rows: l.mean.map((v, i) => [moment(l.from + i * l.width), v, l.most[i], ...l.hosts.map((h) => h.mean[i])]),
    })}>${l.hosts.length > 1 && html`<p class="note">from below: ${l.hosts.map((h, k) => html`${k ? ", " : ""}<i style=${{ color: categories[k % categories.length] }} aria-hidden="true">■</i> ${h.host}`)}</p>`}</${Figure}>`;
}

const outcomeState = (o: string) => states[o] ?? states[{ none: "running", lost: "killed", memory: "failed", spawn: "failed", checkpointed: "paused", interrupted: "paused" }[o] ?? "waiting"];

/** How they ended, with the marks that stand for it. */
function outcomes(spans: Span[]): string {
  const counts = new Map<string, number>();
  for (const s of spans) counts.set(s.outcome, (counts.get(s.outcome) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([o, n]) => `${outcomeState(o).mark} ${exactCount(n)} ${o === "none" ? "running" : o.replace("_", " ")}`).join(", ");
}

function Gantt({ study, l }: { study: Study; l: LoadOf }) {
  const spans = l.spans!;
  const lanes = Math.max(...spans.map((s) => s.lane), 0) + 1;
  const row = Math.max(Math.min(18, Math.floor(420 / lanes)), 3);
  const x: Scale = { min: 0, max: Math.max(l.to - l.from, 1e-3), log: false, seconds: true };
  const height = lanes * row + 44;
  const draw = (d: Drawing) => {
    const a = { ...area(d), top: 4, bottom: 4 + lanes * row };
    axes(d, a, x, { min: 0, max: lanes, log: false, texts: [] }, "since the first start", "");
    for (const s of spans) {
      const left = px(a, x, s.from - l.from), width = Math.max(px(a, x, s.to - l.from) - left - 0.5, 1);
      d.ctx.fillStyle = outcomeState(s.outcome).color;
      d.ctx.fillRect(left, a.top + s.lane * row, width, row - 1);
      d.ctx.textBaseline = "middle";
      d.ctx.textAlign = "left";
      const { mark } = outcomeState(s.outcome), text = width > 16 + 8 * String(s.trial).length ? `${mark} ${s.trial}` : mark;
      if (width > 14 && row > 11) label(d, text, left + 3, a.top + s.lane * row + row / 2);
    }
  };
  const near = (x: number, y: number, width: number) => {
    const lane = Math.floor((y - 4) / row), t = l.from + ((x - 56) / (width - 78)) * (l.to - l.from);
    const hit = spans.find((s) => s.lane === lane && s.from <= t && t <= s.to);
    return hit && { words: `trial ${hit.trial}: ${seconds(hit.to - hit.from)} on ${l.hosts[hit.host].host}`, open: () => openTrial(hit.trial) };
  };
  return html`<${Figure} title="Who ran where" id="gantt" command=${plotCommand(study, "gantt")} height=${height} draw=${draw} deps=${[l]} near=${near}
    note=${`a lane each for what ran at once: ${outcomes(spans)}; click opens the trial`}
    words=${`${plural(spans.length, "attempt")} in ${plural(lanes, "lane")}: ${outcomes(spans)}.`}
    table=${() => ({
      head: ["trial", "attempt", "host", "lane", "outcome", "from", "to", "seconds"],
      rows: spans.map((s) => [s.trial, s.attempt, l.hosts[s.host].host, s.lane, s.outcome, moment(s.from), moment(s.to), s.to - s.from]),
    })} />`;
}

/** One thing over the time of the study. */
function UseFigure({ l, title, id, values, unit, words }: { l: LoadOf; title: string; id: string; values: number[]; unit: (v: number) => string; words: string }) {
  const x: Scale = { min: 0, max: Math.max(l.to - l.from, 1e-3), log: false, seconds: true };
  const y = { ...fit([0, ...values], false), whole: false, unit, bytes: unit === bytes };
  const draw = (d: Drawing) => {
    const a = area(d, 70);
    axes(d, a, x, y, "since the first start", "");
    steps(d, a, x, y, values, l.width);
  };
  return html`<${Figure} title=${title} id=${id} height=${160} draw=${draw} deps=${[l]} words=${words} note=${words}
    table=${() => ({ head: ["from", title.toLowerCase()], rows: values.map((v, i) => [moment(l.from + i * l.width), v]) })} />`;
}

const percent = (v: number) => `${number(100 * v, 3)} %`;
const SPENT = ["computing", "input", "synchronising", "idle"];

/** What the time on GPUs went into, stacked; behind it, how busy they were for programs. */
function GpuFigure({ l, gpu }: { l: LoadOf; gpu: Record<string, (number | null)[]> }) {
  const x: Scale = { min: 0, max: Math.max(l.to - l.from, 1e-3), log: false, seconds: true };
  const y = { min: 0, max: 1, log: false, unit: percent };
  const known = [...SPENT, "busy"].filter((name) => gpu[name].some((v) => v !== null));
  const stacked = known.filter((name) => name !== "busy");
  const draw = (d: Drawing) => {
    const a = area(d, 70);
    axes(d, a, x, y, "since the first start", "");
    steps(d, a, x, y, gpu.busy.map((v) => v ?? NaN), l.width);
    stack(d, a, x, y, l.width, stacked.map((name) => ({ values: gpu[name], color: categories[SPENT.indexOf(name) + 1] })));
  };
  const words = `of the time: ${known.map((name) => `${name} ${percent(mean(gpu[name].filter((v) => v !== null) as number[]))}`).join(", ")}`;
  return html`<${Figure} title="What the time on GPUs went into" id="gpu-time" height=${180} draw=${draw} deps=${[l]} words=${words} note=${words}
    table=${() => ({ head: ["from", ...known], rows: l.mean.map((_, i) => [moment(l.from + i * l.width), ...known.map((name) => gpu[name][i] ?? undefined)]) })}>
    <p class="note">${known.map((name, k) => html`${k ? ", " : ""}<i style=${{ color: name === "busy" ? "var(--accent)" : categories[SPENT.indexOf(name) + 1] }} aria-hidden="true">■</i> ${name === "busy" ? "busy, for programs" : name}`)}</p></${Figure}>`;
}

const mean = (list: number[]) => list.reduce((s, v) => s + v, 0) / Math.max(list.length, 1);

function Uses({ l }: { l: LoadOf }) {
  const w = l.waits, count = (v: number) => number(v, 3);
  const waits = w.attempts ? `half waited at most ${seconds(w.median)}, nine tenths at most ${seconds(w.nine_tenths)}, the longest ${seconds(w.most)}` : "not known";
  return html`<${UseFigure} l=${l} title="Waiting at their place" id="waits" values=${l.waiting} unit=${count} words=${waits} />
    <${UseFigure} l=${l} title="CPUs in use" id="cpus" values=${l.cpus} unit=${count} words=${`by attempts that have ended; on average ${count(mean(l.cpus))}`} />
    <${UseFigure} l=${l} title="Memory in use" id="memory" values=${l.memory_bytes} unit=${bytes} words=${`the most that each attempt had; on average ${bytes(mean(l.memory_bytes))}`} />
    ${l.gpu && html`<${GpuFigure} l=${l} gpu=${l.gpu} />`}`;
}

export function Load({ study }: { study: Study }) {
  const { answer: l, fault } = useLoad(study);
  return html`<div class="stack"><${LoadPicture} study=${study} height=${300} answer=${l} fault=${fault} />
    ${l?.spans?.length ? html`<${Gantt} study=${study} l=${l} />`
      : l && l.attempts > 0 && html`<p class="note">${exactCount(l.attempts)} attempts are too many to draw one by one: the load above is their density.</p>`}
    ${l && l.attempts > 0 && html`<${Uses} l=${l} />`}
    ${!isExport() && html`<${MachineView} study=${study} />`}</div>`;
}
