// Where are we, and what matters.
import { html } from "../html";
import { getJson } from "../api";
import { cell } from "../columns";
import { link } from "../place";
import { number, value } from "../format";
import { Study, useAnswer, useStudy } from "../study";
import { History } from "./history";
import { Parallel } from "./parallel";
import { ImportanceFigure } from "./importance";
import { LoadFigure } from "./load";

const BEST = 10;

interface Failures {
  failures: number;
  groups: { count: number; message: string; example: number }[];
}

export function Overview({ study }: { study: Study }) {
  const version = useStudy(study);
  if (!study.columns!.rows)
    return html`<p class="empty">No trial has begun yet. ${study.standing?.running
      ? "The first ones are on their way." : html`<code>${study.about?.resume}</code> runs the study.`}</p>`;
  return html`<div class="grid">
    <${History} study=${study} version=${version} />
    <${BestTrials} study=${study} />
    <div class="wide"><${Parallel} study=${study} version=${version} /></div>
    <${ImportanceFigure} study=${study} />
    <${LoadFigure} study=${study} height=${200} />
    <div class="wide"><${NewestFailures} study=${study} /></div>
  </div>`;
}

/** Rows of the mask with the best values. */
export function bestRows(study: Study, most: number): number[] {
  const values = study.column("value")?.numbers ?? new Float64Array(0);
  const states = study.column("state")!;
  const mask = study.mask(), sign = study.minimizes() ? 1 : -1;
  const list: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const v = sign * values[i];
    if (!mask[i] || Number.isNaN(v)) continue;
    const state = cell(states, i);
    if (state !== "done" && state !== "stopped") continue;
    if (list.length === most && v >= sign * values[list[most - 1]]) continue;
    let at = list.length;
    while (at > 0 && sign * values[list[at - 1]] > v) at--;
    list.splice(at, 0, i);
    if (list.length > most) list.pop();
  }
  return list;
}

function BestTrials({ study }: { study: Study }) {
  const rows = bestRows(study, BEST), ids = study.trials();
  const parameters = study.parameters().slice(0, 6);
  const metric = study.about?.metric ?? "value";
  return html`<section><h3>Best trials</h3>
    ${!rows.length ? html`<p class="empty">No trial has a value${study.standing?.running ? " yet" : ""}.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Best trials">
    <table class="list"><thead><tr><th scope="col" class="n">Trial</th><th scope="col" class="n">${metric}</th>
      ${parameters.map((p) => html`<th scope="col" class="n">${p.name}</th>`)}</tr></thead>
    <tbody>${rows.map((r) => html`<tr><th scope="row" class="n"><a href=${link({ trial: ids[r] })}>${ids[r]}</a></th>
      <td class="n" title=${cell(study.column("value"), r)}>${number(cell(study.column("value"), r) as number)}</td>
      ${parameters.map((p) => html`<td class="n" title=${cell(p, r)}>${value(cell(p, r))}</td>`)}</tr>`)}</tbody></table></div>`}
  </section>`;
}

function NewestFailures({ study }: { study: Study }) {
  const failed = study.failures();
  const { answer } = useAnswer(() => (failed ? getJson<Failures>(study.path("errors"), { limit: 5 }) : Promise.resolve(undefined)), [failed]);
  if (!failed) return html`<section><h3>Failures</h3><p class="empty">None.</p></section>`;
  return html`<section><h3>Failures</h3><ul class="plain">${answer?.groups.map((g) => html`<li>
    <b>${g.count} ×</b> <code>${g.message}</code> <a href=${link({ trial: g.example })}>trial ${g.example}</a></li>`)}</ul>
    <p><a href=${link({ view: "errors" })}>All of them</a></p></section>`;
}
