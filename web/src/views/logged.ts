// What trials logged, at a step that a slider chooses; several trials stand side by side.
import { useState } from "preact/hooks";
import { area, axes, px, py } from "../axes";
import { getText } from "../api";
import { css, magnitude } from "../colors";
import { Drawing, Figure } from "../figure";
import { number, value as shown } from "../format";
import { html } from "../html";
import { at, confusion, Logged, loggedOf, Matrix, pathOf, Said, steps } from "../logged";
import { fit } from "../scale";
import { Study, useAnswer } from "../study";
import { Picture } from "./picture";

interface Props {
  study: Study;
  trial: number;
  said: Said;
  name: string;
}

/** What a file of JSON has, read when it is wanted. */
function useFile<T>(p: Props): { answer?: T; fault: string } {
  return useAnswer<T>(async () => JSON.parse(await getText(p.study.path(`trials/${p.trial}/file`), { path: pathOf(p.said) })),
    [p.trial, p.said.path]);
}

const wait = (fault: string) => html`<p class="empty">${fault || "…"}</p>`;

function Histogram(p: Props) {
  const { answer: h, fault } = useFile<{ values: number[]; bins: number[] }>(p);
  if (!h) return wait(fault);
  const x = fit(h.bins, false), y = fit([0, ...h.values], false);
  const draw = (d: Drawing) => {
    const a = area(d);
    axes(d, a, x, y, "value", "count");
    d.ctx.fillStyle = d.accent;
    h.values.forEach((n, i) => {
      const left = px(a, x, h.bins[i]), top = py(a, y, n);
      d.ctx.fillRect(left, top, Math.max(px(a, x, h.bins[i + 1]) - left - 0.5, 0.5), a.bottom - top);
    });
  };
  const total = h.values.reduce((s, n) => s + n, 0);
  return html`<${Figure} title=${`${p.name}, trial ${p.trial}`} id="histogram" height=${180} draw=${draw} deps=${[h]}
    words=${`${total} values from ${number(h.bins[0])} to ${number(h.bins[h.bins.length - 1])}.`}
    table=${() => ({ head: ["from", "to", "count"], rows: h.values.map((n, i) => [h.bins[i], h.bins[i + 1], n]) })} />`;
}

const ROWS = 50;

function Cell({ p, cell }: { p: Props; cell: unknown }) {
  const said = cell as Said | null;
  return said && typeof said === "object" && said._type === "images-file"
    ? html`<${Picture} study=${p.study} trial=${p.trial} said=${said} name=${p.name} />` : html`${shown(cell)}`;
}

function LoggedTable(p: Props) {
  const { answer: t, fault } = useFile<{ columns: string[]; data: unknown[][] }>(p);
  const [all, setAll] = useState(false);
  if (!t) return wait(fault);
  const rows = all ? t.data : t.data.slice(0, ROWS);
  return html`<div class="numbers" tabindex="0" role="region" aria-label=${`The table ${p.name} of trial ${p.trial}`}><table>
    <thead><tr>${t.columns.map((c) => html`<th scope="col">${String(c)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((c) => html`<td><${Cell} p=${p} cell=${c} /></td>`)}</tr>`)}</tbody></table>
    ${rows.length < t.data.length && html`<button type="button" onClick=${() => setAll(true)}>All ${t.data.length} rows</button>`}</div>`;
}

function MatrixFigure({ p, m }: { p: Props; m: Matrix }) {
  const size = m.names.length, total = m.counts.flat().reduce((s, n) => s + n, 0);
  const right = m.counts.reduce((s, row, i) => s + row[i], 0);
  const most = Math.max(...m.counts.flat(), 1);
  const y = { min: 0, max: size, log: false, texts: [] as string[] }, x = y;
  const draw = (d: Drawing) => {
    const a = area(d, 70), w = (a.right - a.left) / size, h = (a.bottom - a.top) / size;
    axes(d, a, { ...x, min: -0.5, max: size - 0.5, texts: m.names }, { ...y, min: -0.5, max: size - 0.5, texts: m.names }, "predicted", "");
    m.counts.forEach((row, t) => row.forEach((n, g) => {
      d.ctx.fillStyle = css(magnitude(n / most));
      d.ctx.fillRect(a.left + g * w, a.bottom - (t + 1) * h, w - 1, h - 1);
      if (w < 22 || h < 14) return;
      d.ctx.fillStyle = n / most > 0.55 ? "#000000" : "#ffffff";
      d.ctx.textAlign = "center";
      d.ctx.textBaseline = "middle";
      d.ctx.fillText(String(n), a.left + (g + 0.5) * w, a.bottom - (t + 0.5) * h);
    }));
  };
  return html`<${Figure} title=${`${p.name}, trial ${p.trial}`} id="confusion" height=${Math.min(120 + 28 * size, 420)} draw=${draw} deps=${[m]}
    note="rows: truth" words=${`${right} of ${total} right${total ? `, ${number((100 * right) / total, 3)} percent` : ""}.`}
    table=${() => ({ head: ["truth", ...m.names], rows: m.counts.map((row, i) => [m.names[i], ...row]) })} />`;
}

function ChartOf(p: Props) {
  const { answer: c, fault } = useFile<{ chart: string; args?: unknown[] }>(p);
  if (!c) return wait(fault);
  const m = c.chart === "confusion_matrix" ? confusion(c) : undefined;
  return m ? html`<${MatrixFigure} p=${p} m=${m} />`
    : html`<pre class="log" tabindex="0" role="region" aria-label=${`The chart ${p.name} of trial ${p.trial}`}>${JSON.stringify(c, null, 1)}</pre>`;
}

const shows: Record<string, (p: Props) => unknown> = {
  "images-file": (p) => html`<${Picture} ...${p} />`,
  "histograms-file": (p) => html`<${Histogram} ...${p} />`,
  "table-file": (p) => html`<${LoggedTable} ...${p} />`,
  "charts-file": (p) => html`<${ChartOf} ...${p} />`,
};

function One({ p, value }: { p: Omit<Props, "said">; value: unknown }) {
  if (value === undefined) return html`<p class="empty">Not yet.</p>`;
  if (Array.isArray(value) && value.some((v) => v?._type))
    return html`<div class="pictures">${value.map((v) => html`<${One} p=${p} value=${v} />`)}</div>`;
  const said = value as Said;
  const show = said && typeof said === "object" && said._type ? shows[said._type] : undefined;
  if (show && !said.error) return show({ ...p, said });
  if (said?._type) return html`<p class="note">${said.error ?? `a file: ${said.path}`}</p>`;
  return html`<pre>${shown(value)}</pre>`;
}

export function LoggedOf({ study, trials }: { study: Study; trials: number[] }) {
  const { answer, fault } = useAnswer(() => Promise.all(trials.map((t) => loggedOf(study, t).catch(() => new Map() as Logged))),
    [trials.join(","), study.columns?.revision]);
  const [chosen, setChosen] = useState<number>();
  if (!answer) return wait(fault);
  const list = steps(answer), names = [...new Set(answer.flatMap((l) => [...l.keys()]))];
  if (!names.length) return html`<p class="empty">${trials.length > 1 ? "They" : "It"} logged nothing but metrics.</p>`;
  const place = chosen !== undefined && chosen < list.length ? chosen : list.length - 1, step = list[place];
  return html`<div class="logged">${list.length > 1 && html`<label class="slider">Step <input type="range" min="0" max=${list.length - 1} step="1" value=${place}
      aria-valuetext=${`step ${step}`} onInput=${(e: Event) => setChosen(Number((e.target as HTMLInputElement).value))} /> ${step} <small>of ${list[list.length - 1]}</small></label>`}
    ${names.map((name) => html`<section><h4>${name}</h4><div class="beside">${trials.map((trial, i) => html`<div>
      ${trials.length > 1 && html`<p class="note">trial ${trial}</p>`}
      <${One} p=${{ study, trial, name }} value=${at(answer[i].get(name), step)} /></div>`)}</div></section>`)}</div>`;
}
