// What depends on what: the stages of a campaign as a small graph, each with how far it is.
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../api";
import { bad, states } from "../colors";
import { exactCount, number, plural, seconds, time } from "../format";
import { html } from "../html";
import { link } from "../place";
import { Study, useAnswer } from "../study";

interface Stage {
  stage: string;
  kind: string;
  state: string;
  why: string;
  needs: string[];
  started: number | null;
  ended: number | null;
  study: string | null;
  trials?: number;
  finished?: number;
  failed?: number;
  total?: number | null;
  states?: Record<string, number>;
  left_s?: number | null;
  best?: { id: number; metric: string; value: number } | null;
}

interface CampaignOf {
  campaign: string;
  state: string;
  running: boolean;
  stages: Stage[];
}

const AGAIN_MS = 2000;
const WIDTH = 190, HEIGHT = 62, ACROSS = 56, DOWN = 18;

/** Stages have states of their own words; each has the mark of a trial's state that means the same. */
const marks: Record<string, string> = { waiting: "waiting", running: "running", done: "done", failed: "failed", skipped: "stopped", blocked: "invalid", interrupted: "paused" };
const look = (state: string) => states[marks[state] ?? "waiting"];

/** Each in the column behind all that it needs, below those that came before it. */
function places(stages: Stage[]): Map<string, { x: number; y: number }> {
  const column = new Map<string, number>(), used: number[] = [], found = new Map<string, { x: number; y: number }>();
  for (const s of stages) {
    const at = Math.max(0, ...s.needs.map((n) => (column.get(n) ?? -1) + 1));
    column.set(s.stage, at);
    used[at] = (used[at] ?? 0) + 1;
    found.set(s.stage, { x: at * (WIDTH + ACROSS), y: (used[at] - 1) * (HEIGHT + DOWN) });
  }
  return found;
}

function progress(s: Stage): string {
  if (s.finished === undefined) return "";
  return s.total ? `${exactCount(s.finished)} / ${exactCount(s.total)}` : exactCount(s.finished);
}

function Node({ s, at }: { s: Stage; at: { x: number; y: number } }) {
  const all = Math.max(s.total ?? s.trials ?? 0, s.trials ?? 0, 1);
  const order = ["done", "stopped", "running", ...bad];
  let left = 0;
  const box = html`<g transform=${`translate(${at.x + 1} ${at.y + 1})`}>
    <rect class="stage" width=${WIDTH} height=${HEIGHT} rx="4" />
    <text x="10" y="20" class="name">${s.stage.length > 22 ? s.stage.slice(0, 21) + "…" : s.stage}</text>
    <text x="10" y="40"><tspan fill=${look(s.state).color}>${look(s.state).mark}</tspan> ${s.state}${" "}${progress(s)}</text>
    ${s.states && order.map((n) => {
      const width = ((WIDTH - 20) * (s.states![n] ?? 0)) / all, x = 10 + left;
      left += width;
      return width > 0 && html`<rect x=${x} y=${HEIGHT - 12} width=${width} height="5" fill=${states[n].color} />`;
    })}</g>`;
  return s.study ? html`<a href=${link({ study: s.study, view: "overview" })}>${box}</a>` : box;
}

function Graph({ stages }: { stages: Stage[] }) {
  const at = places(stages), list = [...at.values()];
  const width = Math.max(...list.map((p) => p.x)) + WIDTH + 2, height = Math.max(...list.map((p) => p.y)) + HEIGHT + 2;
  const edges = stages.flatMap((s) => s.needs.map((n) => [at.get(n), at.get(s.stage)!] as const));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Stages as a graph"><svg class="graph" width=${width} height=${height} role="group"
      aria-label=${stages.map((s) => `${s.stage}: ${s.state}${s.needs.length ? `, after ${s.needs.join(" and ")}` : ""}`).join("; ")}>
    ${edges.map(([from, to]) => from && html`<path class="edge" d=${`M${from.x + WIDTH + 1} ${from.y + HEIGHT / 2} C${from.x + WIDTH + 30} ${from.y + HEIGHT / 2} ${to.x - 30} ${to.y + HEIGHT / 2} ${to.x + 1} ${to.y + HEIGHT / 2}`} />`)}
    ${stages.map((s) => html`<${Node} s=${s} at=${at.get(s.stage)!} />`)}</svg></div>`;
}

function Rows({ stages }: { stages: Stage[] }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Stages"><table class="list"><thead><tr>
    ${["Stage", "Kind", "State", "After", "Trials", "Failed", "Left", "Best", "Ended", "Why"].map((h) => html`<th scope="col">${h}</th>`)}</tr></thead>
    <tbody>${stages.map((s) => html`<tr><th scope="row">${s.study ? html`<a href=${link({ study: s.study, view: "overview" })}>${s.stage}</a>` : s.stage}</th>
      <td>${s.kind}</td><td><i style=${{ color: look(s.state).color }} aria-hidden="true">${look(s.state).mark}</i> ${s.state}</td>
      <td>${s.needs.join(", ")}</td><td class="n">${progress(s)}</td><td class="n">${s.failed || ""}</td><td>${seconds(s.left_s)}</td>
      <td>${s.best && html`${s.best.metric} <span title=${s.best.value}>${number(s.best.value)}</span> <small>trial ${s.best.id}</small>`}</td>
      <td>${time(s.ended)}</td><td class="why">${s.why}</td></tr>`)}</tbody></table></div>`;
}

export function Campaign({ study }: { study: Study }) {
  const [tick, again] = useState(0);
  const { answer: c, fault } = useAnswer(() => getJson<CampaignOf>(study.path("campaign")), [study.name, tick]);
  useEffect(() => {
    const timer = setInterval(() => again((n) => n + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  if (!c) return html`<p class="empty">${fault || "…"}</p>`;
  const done = c.stages.filter((s) => s.state === "done" || s.state === "skipped").length;
  return html`<p><b>${c.state}</b>: ${done} of ${plural(c.stages.length, "stage")} done.${" "}
    ${!c.running && c.state !== "finished" && html`<code>${study.about?.resume}</code> goes on.`}${fault && html` <span class="fault" role="alert">${fault}</span>`}</p>
    <${Graph} stages=${c.stages} /><${Rows} stages=${c.stages} />
    <p class="note"><code>throng status ${c.campaign}</code></p>`;
}
