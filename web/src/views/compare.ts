// What differs: selected trials side by side.
import { html } from "../html";
import { getJson, isExport } from "../api";
import { bytes, seconds, value } from "../format";
import { go, link, Place } from "../place";
import { Study, useAnswer } from "../study";
import { LoggedOf } from "./logged";
import { FewCurves } from "./curve_plot";
import { FilesBeside } from "./files";

interface Difference {
  trials: number[];
  params: Record<string, unknown[]>;
  /** Not there where no trial has one. */
  metrics?: Record<string, unknown[]>;
  trial: Record<string, unknown[]>;
}

const MOST = 16;

function shownAs(name: string, v: unknown): string {
  if (typeof v !== "number") return value(v);
  return /seconds$/.test(name) ? seconds(v) : /bytes$/.test(name) ? bytes(v) : value(v);
}

export function Compare({ study, place }: { study: Study; place: Place }) {
  const trials = place.chosen.slice(0, MOST);
  const { answer, fault } = useAnswer(
    () => (trials.length > 1 ? getJson<Difference>(study.path("compare"), { trials: trials.map(String) }) : Promise.resolve(undefined)),
    [trials.join(","), study.columns!.revision]);
  if (trials.length < 2)
    return html`<p class="empty">Select two or more trials in the <a href=${link({ view: "table" })}>table</a> (space selects a row).</p>`;
  if (!answer) return html`<p class="empty">${fault || "Comparing …"}</p>`;
  const part = (name: string, rows: Record<string, unknown[]> = {}) => Object.keys(rows).length > 0 && html`<tbody>
    <tr><th colspan=${answer.trials.length + 1} scope="rowgroup" class="section">${name}</th></tr>
    ${Object.entries(rows).map(([k, list]) => html`<tr><th scope="row">${k}</th>${list.map((v) => html`<td class="n" title=${JSON.stringify(v)}>${shownAs(k, v)}</td>`)}</tr>`)}</tbody>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Differences"><table class="list"><caption>What differs${place.chosen.length > MOST && ` (the first ${MOST})`}</caption>
    <thead><tr><th scope="col"><span class="hidden">What</span></th>${answer.trials.map((t) => html`<th scope="col" class="n"><a href=${link({ trial: t })}>trial ${t}</a>${" "}
      <button type="button" aria-label=${`Leave trial ${t} out`} onClick=${() => go({ chosen: place.chosen.filter((c) => c !== t) })}>×</button></th>`)}</tr></thead>
    ${part("parameters", answer.params)}${part("metrics", answer.metrics)}${part("trial", answer.trial)}</table></div>
    <p><code>throng diff ${study.name} ${answer.trials.join(" ")}</code></p>
    <h2>Curves</h2><${FewCurves} study=${study} trials=${answer.trials} metrics=${study.about?.metrics ?? []} />
    ${isExport() ? html`<p class="note">What they logged and left as files is not in an exported page.</p>`
      : html`<h2>Logged</h2><${LoggedOf} study=${study} trials=${answer.trials} />
    <h2>Files</h2><${FilesBeside} study=${study} trials=${answer.trials} />`}`;
}
