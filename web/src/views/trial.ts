// Everything of one trial, in a drawer.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html";
import { act, getJson, getText, isExport } from "../api";
import { states } from "../colors";
import { copy } from "../take_along";
import { bytes, number, seconds, time, value } from "../format";
import { go, link } from "../place";
import { say } from "../say";
import { Study, useAnswer } from "../study";
import { HISTORY } from "../logged";
import { LoggedOf } from "./logged";
import { FewCurves } from "./curve_plot";
import { FileList, Files } from "./files";

interface Attempt {
  number: number;
  outcome: string;
  host: string;
  started: number | null;
  seconds: number;
  cpu_seconds: number;
  max_rss_bytes: number;
  reason: string;
}

interface Shown {
  trials: {
    trial: {
      id: number; state: string; value: number | null; params: Record<string, unknown>;
      metrics: Record<string, { last: number; best: number }>;
      created: number; started: number | null; ended: number | null; reason: string; note?: string; tags?: string[];
    };
    attempts: Attempt[];
    folder: string;
  }[];
}

const LOG_MS = 2000;

function Log({ study, trial, live }: { study: Study; trial: number; live: boolean }) {
  const [text, set] = useState<string>();
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    let timer = 0, current = true;
    const read = async () => {
      const log = await getText(study.path(`trials/${trial}/log`)).catch((e) => e.message);
      if (!current) return;
      set(log);
      if (live) timer = window.setTimeout(read, LOG_MS);
    };
    read();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [trial, live]);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  if (text === undefined) return html`<p class="empty">…</p>`;
  return text ? html`<pre class="log" ref=${box} tabindex="0" role="region" aria-label="Log">${text}</pre>` : html`<p class="empty">It printed nothing.</p>`;
}

function Control({ study, trial, again }: { study: Study; trial: number; again: () => void }) {
  const [text, setText] = useState("");
  const ask = async (verb: string, more: Record<string, string> = {}) => {
    try {
      say((await act(study.name, { verb, trials: String(trial), ...more })).text);
    } catch (e) {
      say((e as Error).message);
    }
    again();
  };
  return html`<div class="controls">${["stop", "kill", "retry"].map((v) => html`<button type="button" onClick=${() => ask(v)}>${v[0].toUpperCase() + v.slice(1)}</button>`)}
    <label>Text <input value=${text} onInput=${(e: Event) => setText((e.target as HTMLInputElement).value)} /></label>
    <button type="button" disabled=${!text} onClick=${() => ask("tag", { tag: text })}>Tag</button>
    <button type="button" onClick=${() => ask("note", { note: text })}>Note</button></div>`;
}

/** What the study's folder keeps of it; a page without a server has none of that. */
function Kept({ study, trial, shown, files }: { study: Study; trial: number; shown: Shown["trials"][number]; files?: Files }) {
  const { trial: t, attempts } = shown;
  const why = useAnswer(() => getJson<{ trials: { explanation: string }[] }>(study.path(`trials/${trial}/explain`)), [trial, study.columns?.revision]);
  const command = async () => copy(await getText(study.path(`trials/${trial}/command`)), "the command");
  return html`
      <h3>Attempts</h3><ol class="plain">${attempts.map((a) => html`<li>${a.number}: ${a.outcome === "none" ? "running" : `${a.outcome}, ${seconds(a.seconds)}, cpu ${seconds(a.cpu_seconds)}, at most ${bytes(a.max_rss_bytes)}`} on ${a.host}${a.reason && `: ${a.reason}`}</li>`)}</ol>
      <p class="note">made ${time(t.created)}${t.started && `, started ${time(t.started)}`}${t.ended && `, ended ${time(t.ended)}`}</p>
      ${why.answer?.trials[0] && html`<h3>Why</h3><p class="why">${why.answer.trials[0].explanation}</p>`}
      <h3>Log</h3><${Log} study=${study} trial=${trial} live=${t.state === "running"} />
      <h3>Files</h3><${FileList} study=${study} trial=${trial} files=${files} />
      <h3>By hand</h3><p><button type="button" onClick=${command}>Copy the command that runs it</button>${" "}
        <code>throng show ${study.name} ${trial}</code></p>`;
}

export function Trial({ study, trial }: { study: Study; trial: number }) {
  const [asked, again] = useState(0);
  const row = study.rowOf(trial);
  const { answer, fault } = useAnswer(() => getJson<Shown>(study.path(`trials/${trial}`)), [trial, asked, study.columns?.revision]);
  const inFile = isExport();
  const files = useAnswer(() => getJson<Files>(study.path(`trials/${trial}/files`)), [trial, study.columns?.revision]).answer;
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => drawer.current?.focus(), [trial]);
  const t = answer?.trials[0]?.trial;
  const ids = study.trials();
  return html`<aside class="drawer" ref=${drawer} tabindex="-1" aria-label=${`Trial ${trial}`}>
    <header><h2>Trial ${trial}</h2>
      ${t && html`<span><i style=${{ color: states[t.state]?.color }} aria-hidden="true">${states[t.state]?.mark}</i> ${t.state.replace("_", " ")}</span>`}
      <span class="grow"></span>
      <a href=${link({ trial: row > 0 ? ids[row - 1] : trial })} aria-label="The trial before">↑</a>
      <a href=${link({ trial: row >= 0 && row + 1 < ids.length ? ids[row + 1] : trial })} aria-label="The next trial">↓</a>
      <button type="button" onClick=${() => go({ trial: 0 })} aria-label="Close">×</button></header>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${t && html`
      ${t.reason && html`<p>${t.reason}</p>`}
      ${study.about?.control && html`<${Control} study=${study} trial=${trial} again=${() => again(asked + 1)} />`}
      <h3>Parameters</h3><dl class="facts">${Object.entries(t.params).map(([k, v]) => html`<dt>${k}</dt><dd title=${JSON.stringify(v)}>${value(v)}</dd>`)}</dl>
      <h3>Metrics</h3>${Object.keys(t.metrics).length ? html`<table class="list"><thead><tr><th scope="col">metric</th><th scope="col" class="n">last</th>${!inFile && html`<th scope="col" class="n">best</th>`}</tr></thead>
        <tbody>${Object.entries(t.metrics).map(([k, m]) => html`<tr><th scope="row">${k}</th><td class="n" title=${m.last}>${number(Number(m.last))}</td>${!inFile && html`<td class="n" title=${m.best}>${number(Number(m.best))}</td>`}</tr>`)}</tbody></table>`
        : html`<p class="empty">It reported none.</p>`}
      <${FewCurves} study=${study} trials=${[trial]} metrics=${Object.keys(t.metrics)} />
      ${Object.keys(t.metrics).length > 0 && html`<p><a href=${link({ view: "curves", chosen: [trial] })}>Its curve, large</a></p>`}
      ${files?.files.some((f) => f.path === HISTORY) && html`<h3>Logged</h3><${LoggedOf} study=${study} trials=${[trial]} />`}
      ${(t.note || t.tags?.length) && html`<h3>Words</h3><p>${t.tags?.map((g) => html`<span class="tag">${g}</span> `)}${t.note}</p>`}
      ${inFile ? html`<p class="note">Attempts, log and files are not in an exported page: <code>throng show ${study.name} ${trial}</code> has them.</p>`
        : html`<${Kept} study=${study} trial=${trial} shown=${answer!.trials[0]} files=${files} />`}`}
  </aside>`;
}
