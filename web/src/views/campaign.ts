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
/** A campaign's words for what its stages have. */
const stateOf: Record<string, string> = { finished: "done" };
const look = (state: string) => states[marks[state] ?? "waiting"];

interface Spot {
  column: number;
  row: number;
}

/** Each in the column behind all that it needs, below those that came before it; what goes past a column has a row of
 * it to itself, so that no line runs behind a stage. */
function places(stages: Stage[]): { at: Map<string, Spot>; ways: Spot[][] } {
  const at = new Map<string, Spot>(), past = new Map<string, Spot>(), used: number[] = [], ways: Spot[][] = [];
  const take = (column: number): Spot => ({ column, row: (used[column] = (used[column] ?? 0) + 1) - 1 });
  for (const s of stages) {
    const needs = s.needs.flatMap((n) => (at.has(n) ? [n] : []));
    const column = Math.max(0, ...needs.map((n) => at.get(n)!.column + 1));
    for (const n of needs) {
      const way = [at.get(n)!];
      for (let c = way[0].column + 1; c < column; c++) {
        const key = `${n} ${c}`;
        if (!past.has(key)) past.set(key, take(c));
        way.push(past.get(key)!);
      }
      ways.push(way);
    }
    at.set(s.stage, take(column));
    for (const way of ways.slice(ways.length - needs.length)) way.push(at.get(s.stage)!);
  }
  return { at, ways };
}

const left = (s: Spot) => s.column * (WIDTH + ACROSS);
const middle = (s: Spot) => s.row * (HEIGHT + DOWN) + HEIGHT / 2;

/** From stage to stage: straight through a column that it goes past. */
function path(way: Spot[]): string {
  return way.slice(1).map((to, i) => {
    const from = way[i], x0 = left(from) + WIDTH + 1, x1 = left(to) + 1;
    const curve = `${i ? "" : `M${x0} ${middle(from)} `}C${x0 + 28} ${middle(from)} ${x1 - 28} ${middle(to)} ${x1} ${middle(to)}`;
    return i + 2 < way.length ? `${curve} h${WIDTH}` : curve;
  }).join(" ");
}

function progress(s: Stage): string {
  if (s.finished === undefined) return "";
  return s.total ? `${exactCount(s.finished)} / ${exactCount(s.total)}` : exactCount(s.finished);
}

function Node({ s, at }: { s: Stage; at: Spot }) {
  const all = Math.max(s.total ?? s.trials ?? 0, s.trials ?? 0, 1);
  const order = ["done", "stopped", "running", ...bad];
  let from = 0;
  const box = html`<g transform=${`translate(${left(at) + 1} ${at.row * (HEIGHT + DOWN) + 1})`}>
    <rect class="stage" width=${WIDTH} height=${HEIGHT} rx="4" />
    <text x="10" y="20" class="name">${s.stage.length > 22 ? s.stage.slice(0, 21) + "…" : s.stage}</text>
    <text x="10" y="40"><tspan fill=${look(s.state).color}>${look(s.state).mark}</tspan> ${s.state}${" "}${progress(s)}</text>
    ${s.states && order.map((n) => {
      const width = ((WIDTH - 20) * (s.states![n] ?? 0)) / all, x = 10 + from;
      from += width;
      return width > 0 && html`<rect x=${x} y=${HEIGHT - 12} width=${width} height="5" fill=${states[n].color} />`;
    })}</g>`;
  return s.study ? html`<a href=${link({ study: s.study, view: "overview" })}>${box}</a>` : box;
}

function Graph({ stages }: { stages: Stage[] }) {
  const { at, ways } = places(stages), spots = [...at.values(), ...ways.flat()];
  const width = Math.max(...spots.map(left)) + WIDTH + 2, height = (Math.max(...spots.map((p) => p.row)) + 1) * (HEIGHT + DOWN) - DOWN + 2;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Stages as a graph"><svg class="graph" width=${width} height=${height} role="group"
      aria-label=${stages.map((s) => `${s.stage}: ${s.state}${s.needs.length ? `, after ${s.needs.join(" and ")}` : ""}`).join("; ")}>
    ${ways.map((way) => html`<path class="edge" d=${path(way)} />`)}
    ${stages.map((s) => html`<${Node} s=${s} at=${at.get(s.stage)!} />`)}</svg></div>`;
}

function Rows({ stages }: { stages: Stage[] }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Stages"><table class="list stages"><thead><tr>
    ${["Stage", "Kind", "State", "After", "Trials", "Failed", "Left", "Best", "Ended", "Why"].map((h) => html`<th scope="col">${h}</th>`)}</tr></thead>
    <tbody>${stages.map((s) => html`<tr><th scope="row">${s.study ? html`<a href=${link({ study: s.study, view: "overview" })}>${s.stage}</a>` : s.stage}</th>
      <td>${s.kind}</td><td class="state"><i style=${{ color: look(s.state).color }} aria-hidden="true">${look(s.state).mark}</i> ${s.state}</td>
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
  return html`<p><i style=${{ color: look(stateOf[c.state] ?? c.state).color }} aria-hidden="true">${look(stateOf[c.state] ?? c.state).mark}</i> <b>${c.state}</b>: ${done} of ${plural(c.stages.length, "stage")} done.${" "}
    ${!c.running && c.state !== "finished" && html`<code>${study.about?.resume}</code> goes on.`}${fault && html` <span class="fault" role="alert">${fault}</span>`}</p>
    <${Graph} stages=${c.stages} /><${Rows} stages=${c.stages} />
    <p class="note"><code>throng status ${c.campaign}</code></p>`;
}
