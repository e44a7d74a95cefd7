// What breaks: failures grouped by what they say.
import { html } from "../html";
import { getJson, act } from "../api";
import { copy } from "../figure";
import { link } from "../place";
import { plural } from "../format";
import { say } from "../say";
import { states } from "../colors";
import { Study, useAnswer } from "../study";

interface Failures {
  failures: number;
  groups: { count: number; state: string; message: string; example: number; hint: string | null; trials: number[] }[];
}

async function retry(study: Study, trials: string) {
  try {
    say((await act(study.name, { verb: "retry", trials })).text);
  } catch (e) {
    say((e as Error).message);
  }
}

export function Errors({ study }: { study: Study }) {
  const { answer, fault } = useAnswer(() => getJson<Failures>(study.path("errors")), [study.name, study.failures(), study.columns!.revision]);
  if (!answer) return html`<p class="empty">${fault || "…"}</p>`;
  if (!answer.groups.length) return html`<p class="empty">No trial has failed.</p>`;
  const command = `throng retry ${study.name} failed`;
  return html`<p>${plural(answer.failures, "trial")} ended badly, for ${plural(answer.groups.length, "reason")}.
    <code>${command}</code> tries them again. <button type="button" onClick=${() => copy(command, "the command")}>Copy</button>
    ${study.about?.control && html` <button type="button" onClick=${() => retry(study, "failed")}>Retry failed</button>`}</p>
    ${answer.groups.map((g) => html`<section class="group"><h3><span style=${{ color: states[g.state]?.color }} aria-hidden="true">${states[g.state]?.mark}</span>
      ${plural(g.count, "trial")} ${g.state.replace("_", " ")}</h3>
      <pre>${g.message}</pre>${g.hint && html`<p>${g.hint}</p>`}
      <p>Trials ${g.trials.slice(0, 20).map((t, i) => html`${i ? ", " : ""}<a href=${link({ trial: t })}>${t}</a>`)}${g.count > 20 && " …"}</p></section>`)}`;
}
