// Is the machine used: attempts at once over time, and which ran where.
import { html } from "../html";
import { getJson } from "../api";
import { area, axes, label, px, py } from "../axes";
import { categories, states } from "../colors";
import { Drawing, Figure } from "../figure";
import { bytes, exactCount, number, seconds, time } from "../format";
import { Scale } from "../scale";
import { openTrial } from "../top";
import { Study, useAnswer } from "../study";

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
  hosts: { host: string; mean: number[] }[];
  spans: Span[] | null;
}

interface Machine {
  host: string;
  cpus: number;
  load: number;
  memory_bytes: number;
  free_bytes: number;
  gpus: { name: string; memory_bytes: number; used_bytes: number | null; processes: number | null }[];
}

function useLoad(study: Study): { answer?: LoadOf; fault: string } {
  const second = Math.floor(study.heard / 2000);
  return useAnswer(() => getJson<LoadOf>(study.path("load")), [study.name, study.standing?.running ? second : study.columns!.revision]);
}

function drawLoad(d: Drawing, l: LoadOf) {
  const most = Math.max(...l.most, 1);
  const x: Scale = { min: 0, max: Math.max(l.to - l.from, 1e-3), log: false };
  const y: Scale = { min: 0, max: most * 1.05, log: false };
  const a = area(d);
  axes(d, a, x, y, "seconds since the first start", "attempts at once");
  const { ctx } = d;
  const below = new Float64Array(l.mean.length);
  l.hosts.forEach((h, k) => {
    ctx.fillStyle = categories[k % categories.length];
    ctx.globalAlpha = 0.75;
    h.mean.forEach((v, i) => {
      const left = px(a, x, i * l.width), right = px(a, x, (i + 1) * l.width);
      const top = py(a, y, below[i] + v);
      ctx.fillRect(left, top, right - left + 0.5, py(a, y, below[i]) - top);
      below[i] += v;
    });
  });
  ctx.globalAlpha = 1;
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
  const { answer: l, fault } = useLoad(study);
  if (!l || !l.mean.length)
    return html`<section><h3>Load</h3><p class="empty">${fault || (l ? "Nothing has run yet." : "…")}</p></section>`;
  const words = `${exactCount(l.attempts)} attempts on ${l.hosts.length} host${l.hosts.length === 1 ? "" : "s"} in ${seconds(l.to - l.from)}; on average ${number(meanOf(l), 3)} at once, at most ${Math.max(...l.most)}.`;
  return html`<${Figure} title="Load" id="load" height=${height} draw=${(d: Drawing) => drawLoad(d, l)} deps=${[l]} words=${words}
    note=${`mean (area), most at once (dashes)${l.hosts.length > 1 ? `; ${l.hosts.length} hosts` : ""}`}
    table=${() => ({
      head: ["from", "mean", "most", ...l.hosts.map((h) => h.host)],
      rows: l.mean.map((v, i) => [l.from + i * l.width, v, l.most[i], ...l.hosts.map((h) => h.mean[i])]),
    })} />`;
}

const outcomeState = (o: string) => states[o] ?? states[{ none: "running", lost: "killed", memory: "failed", spawn: "failed", checkpointed: "paused", interrupted: "paused" }[o] ?? "waiting"];

function Gantt({ l }: { l: LoadOf }) {
  const spans = l.spans!;
  const lanes = Math.max(...spans.map((s) => s.lane), 0) + 1;
  const row = Math.max(Math.min(18, Math.floor(420 / lanes)), 3);
  const x: Scale = { min: 0, max: Math.max(l.to - l.from, 1e-3), log: false };
  const height = lanes * row + 44;
  const draw = (d: Drawing) => {
    const a = { ...area(d), top: 4, bottom: 4 + lanes * row };
    axes(d, a, x, { min: 0, max: lanes, log: false, texts: [] }, "seconds since the first start", "");
    for (const s of spans) {
      const left = px(a, x, s.from - l.from), width = Math.max(px(a, x, s.to - l.from) - left - 0.5, 1);
      d.ctx.fillStyle = outcomeState(s.outcome).color;
      d.ctx.fillRect(left, a.top + s.lane * row, width, row - 1);
      d.ctx.textBaseline = "middle";
      d.ctx.textAlign = "left";
      if (width > 34 && row > 11) label(d, `${outcomeState(s.outcome).mark} ${s.trial}`, left + 3, a.top + s.lane * row + row / 2);
    }
  };
  const pointer = (kind: string, px_: number, py_: number, width: number) => {
    if (kind !== "up") return;
    const lane = Math.floor((py_ - 4) / row), t = l.from + ((px_ - 56) / (width - 78)) * (l.to - l.from);
    const hit = spans.find((s) => s.lane === lane && s.from <= t && t <= s.to);
    if (hit) openTrial(hit.trial);
  };
  return html`<${Figure} title="Who ran where" id="gantt" height=${height} draw=${draw} deps=${[l]} pointer=${pointer}
    note="a lane each for what ran at once; click opens the trial"
    words=${`${exactCount(spans.length)} attempts in ${lanes} lanes.`}
    table=${() => ({
      head: ["trial", "attempt", "host", "lane", "outcome", "from", "to", "seconds"],
      rows: spans.map((s) => [s.trial, s.attempt, l.hosts[s.host].host, s.lane, s.outcome, time(s.from), time(s.to), s.to - s.from]),
    })} />`;
}

function MachineNow({ study }: { study: Study }) {
  const { answer: m } = useAnswer(() => getJson<Machine>("machine"), [Math.floor(study.heard / 5000)]);
  if (!m) return null;
  const used = m.memory_bytes - m.free_bytes;
  return html`<section><h3>This machine</h3><dl class="facts">
    <dt>host</dt><dd>${m.host}</dd>
    <dt>cpus</dt><dd>${m.cpus}; load ${number(m.load, 3)}</dd>
    <dt>memory</dt><dd>${bytes(used)} of ${bytes(m.memory_bytes)} used</dd>
    ${m.gpus.map((g, i) => html`<dt>GPU ${i}</dt><dd>${g.name}: ${g.used_bytes === null ? "use unknown"
      : `${bytes(g.used_bytes)} of ${bytes(g.memory_bytes)} used by ${g.processes} process${g.processes === 1 ? "" : "es"}`}</dd>`)}
    ${!m.gpus.length && html`<dt>GPUs</dt><dd>none</dd>`}</dl></section>`;
}

export function Load({ study }: { study: Study }) {
  const { answer: l } = useLoad(study);
  return html`<div class="stack"><${LoadFigure} study=${study} height=${300} />
    ${l?.spans?.length ? html`<${Gantt} l=${l} />`
      : l && l.attempts > 0 && html`<p class="note">${exactCount(l.attempts)} attempts are too many to draw one by one.</p>`}
    <${MachineNow} study=${study} /></div>`;
}
