// The studies of the folder.
import { ComponentChildren } from "preact";
import { html } from "../html";
import { link } from "../place";
import { exactCount, number, time } from "../format";
import { states } from "../colors";

export interface Entry {
  study: string;
  state: string;
  trials: number;
  finished: number;
  failed: number;
  total: number | null;
  best: { id: number; metric: string; value: number } | null;
  changed: number;
  /** Of a campaign. */
  stages?: number;
  stages_done?: number;
}

/** The newest first, a campaign's stages below it. */
function ordered(list: Entry[]): Entry[] {
  const tops = list.filter((s) => !s.study.includes("/")).sort((a, b) => b.changed - a.changed);
  return tops.flatMap((t) => [t, ...list.filter((s) => s.study.startsWith(t.study + "/"))]);
}

/** A study's words for what its trials have. */
const marks: Record<string, string> = { finished: "done", running: "running", failed: "failed" };
const look = (state: string) => states[marks[state] ?? "paused"];

function counted(s: Entry): string {
  if (s.stages !== undefined) return `${s.stages_done} / ${s.stages} stages`;
  return exactCount(s.finished) + (s.total !== null ? ` / ${exactCount(s.total)}` : "");
}

export function Studies({ list, tools }: { list?: Entry[]; tools: ComponentChildren }) {
  if (!list) return html`<main><p class="empty">Looking for studies …</p></main>`;
  return html`<header class="top"><h1>throng</h1><span class="grow"></span>${tools}</header><main>
    ${!list.length
      ? html`<p class="empty">There is no study in this folder yet: <code>throng run study.yaml</code> begins one,
          <code>throng init</code> writes a file to begin with.</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Studies"><table class="list"><caption>Studies of this folder</caption>
        <thead><tr><th scope="col">Study</th><th scope="col">State</th><th scope="col" class="n">Trials</th>
          <th scope="col" class="n">Failed</th><th scope="col">Best</th><th scope="col">Changed</th></tr></thead>
        <tbody>${ordered(list).map((s) => html`<tr>
          <th scope="row" class=${s.study.includes("/") ? "stage-of" : ""}><a href=${link({ study: s.study })}>${s.study}</a></th>
          <td class="state"><i style=${{ color: look(s.state).color }} aria-hidden="true">${look(s.state).mark}</i> ${s.state}</td>
          <td class="n">${counted(s)}</td>
          <td class="n">${s.failed || ""}</td>
          <td>${s.best && `${s.best.metric} ${number(s.best.value)} (trial ${s.best.id})`}</td>
          <td>${time(s.changed)}</td></tr>`)}</tbody></table></div>`}</main>`;
}
