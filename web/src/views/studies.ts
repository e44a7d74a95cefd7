// The studies of the folder.
import { html } from "../html";
import { link } from "../place";
import { exactCount, number, time } from "../format";

export interface Entry {
  study: string;
  state: string;
  trials: number;
  finished: number;
  failed: number;
  total: number | null;
  best: { id: number; metric: string; value: number } | null;
  changed: number;
}

export function Studies({ list }: { list?: Entry[] }) {
  if (!list) return html`<main><p class="empty">Looking for studies …</p></main>`;
  return html`<header class="top"><h1>throng</h1></header><main>
    ${!list.length
      ? html`<p class="empty">There is no study in this folder yet: <code>throng run study.yaml</code> begins one,
          <code>throng init</code> writes a file to begin with.</p>`
      : html`<table class="list"><caption>Studies of this folder</caption>
        <thead><tr><th scope="col">Study</th><th scope="col">State</th><th scope="col" class="n">Trials</th>
          <th scope="col" class="n">Failed</th><th scope="col">Best</th><th scope="col">Changed</th></tr></thead>
        <tbody>${[...list].sort((a, b) => b.changed - a.changed).map((s) => html`<tr>
          <th scope="row"><a href=${link({ study: s.study })}>${s.study}</a></th><td>${s.state}</td>
          <td class="n">${exactCount(s.finished)}${s.total !== null && ` / ${exactCount(s.total)}`}</td>
          <td class="n">${s.failed || ""}</td>
          <td>${s.best && `${s.best.metric} ${number(s.best.value)} (trial ${s.best.id})`}</td>
          <td>${time(s.changed)}</td></tr>`)}</tbody></table>`}</main>`;
}
