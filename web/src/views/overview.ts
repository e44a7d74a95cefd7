// Where are we, and what matters.
import { html } from "../html";
import { getJson } from "../api";
import { cell } from "../columns";
import { link } from "../place";
import { number, value } from "../format";
import { Study, useAnswer, useStudy } from "../study";
import { bestRows } from "../best";
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

function BestTrials({ study }: { study: Study }) {
  const rows = bestRows(study, BEST), ids = study.trials();
  const parameters = study.parameters().slice(0, 6);
  const metric = study.about?.metric ?? "value";
  // What else is aimed at.
  const more = (study.about?.objectives ?? []).slice(1).flatMap((o) => study.columns!.list.filter((c) => c.source === "metric" && c.name === o.name));
  return html`<section><h3>Best trials</h3>${study.ranked && html`<p class="note">the Pareto set first; what breaks a bound last</p>`}
    ${!rows.length ? html`<p class="empty">No trial has a value${study.standing?.running ? " yet" : ""}.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Best trials">
    <table class="list"><thead><tr><th scope="col" class="n">Trial</th><th scope="col" class="n">${metric}</th>
      ${[...more, ...parameters].map((p) => html`<th scope="col" class=${p.numbers ? "n" : ""}>${p.name}</th>`)}</tr></thead>
    <tbody>${rows.map((r) => html`<tr><th scope="row" class="n"><a href=${link({ trial: ids[r] })}>${ids[r]}</a></th>
      <td class="n" title=${cell(study.column("value"), r)}>${number(cell(study.column("value"), r) as number)}</td>
      ${[...more, ...parameters].map((p) => html`<td class=${p.numbers ? "n" : ""} title=${cell(p, r)}>${value(cell(p, r))}</td>`)}</tr>`)}</tbody></table></div>`}
  </section>`;
}

function NewestFailures({ study }: { study: Study }) {
  const failed = study.failures();
  const { answer } = useAnswer(() => (failed ? getJson<Failures>(study.path("errors"), { limit: 5 }) : Promise.resolve(undefined)), [failed]);
  if (!failed) return html`<section><h3>Failures</h3><p class="empty">None.</p></section>`;
  if (!answer) return html`<section><h3>Failures</h3><p class="empty">Reading the failures …</p></section>`;
  return html`<section><h3>Failures</h3><ul class="plain">${answer.groups.map((g) => html`<li>
    <b>${g.count} ×</b> <code>${g.message}</code> <a href=${link({ trial: g.example })}>trial ${g.example}</a></li>`)}</ul>
    <p><a href=${link({ view: "errors" })}>All of them</a></p></section>`;
}
