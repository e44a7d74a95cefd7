// What differs: selected trials side by side.
import { html } from "../html";
import { getJson } from "../api";
import { value } from "../format";
import { go, link, Place } from "../place";
import { Study, useAnswer } from "../study";

interface Difference {
  trials: number[];
  params: Record<string, unknown[]>;
  metrics: Record<string, unknown[]>;
  trial: Record<string, unknown[]>;
}

const MOST = 16;

export function Compare({ study, place }: { study: Study; place: Place }) {
  const trials = place.chosen.slice(0, MOST);
  const { answer, fault } = useAnswer(
    () => (trials.length > 1 ? getJson<Difference>(study.path("compare"), { trials: trials.map(String) }) : Promise.resolve(undefined)),
    [trials.join(","), study.columns!.revision]);
  if (trials.length < 2)
    return html`<p class="empty">Select two or more trials in the <a href=${link({ view: "table" })}>table</a> (space selects a row).</p>`;
  if (!answer) return html`<p class="empty">${fault || "…"}</p>`;
  const part = (name: string, rows: Record<string, unknown[]>) => Object.keys(rows).length > 0 && html`<tbody>
    <tr><th colspan=${answer.trials.length + 1} scope="rowgroup" class="section">${name}</th></tr>
    ${Object.entries(rows).map(([k, list]) => html`<tr><th scope="row">${k}</th>${list.map((v) => html`<td class="n" title=${JSON.stringify(v)}>${value(v)}</td>`)}</tr>`)}</tbody>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Differences"><table class="list"><caption>What differs${place.chosen.length > MOST && ` (the first ${MOST})`}</caption>
    <thead><tr><th scope="col"></th>${answer.trials.map((t) => html`<th scope="col" class="n"><a href=${link({ trial: t })}>trial ${t}</a>
      <button type="button" aria-label=${`Leave trial ${t} out`} onClick=${() => go({ chosen: place.chosen.filter((c) => c !== t) })}>×</button></th>`)}</tr></thead>
    ${part("parameters", answer.params)}${part("metrics", answer.metrics)}${part("trial", answer.trial)}</table></div>
    <p><a href=${link({ view: "curves" })}>Their curves</a> · <code>throng diff ${study.name} ${answer.trials.join(" ")}</code></p>`;
}
