// What breaks: failures grouped by what they say.
import { html } from "../html";
import { useState } from "preact/hooks";
import { act, getJson, getText, isExport } from "../api";
import { copy } from "../take_along";
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
  if (!answer) return html`<p class="empty">${fault || "Reading the failures …"}</p>`;
  if (!answer.groups.length) return html`<p class="empty">No trial has failed.</p>`;
  const command = `throng retry ${study.name} failed`;
  return html`<p>${plural(answer.failures, "trial")} ended badly, for ${plural(answer.groups.length, "reason")}. ${" "}
    <${Command} text=${command} /> tries them again.${" "}
    ${study.about?.control && html`<button type="button" onClick=${() => retry(study, "failed")}>Retry failed</button>`}</p>
    ${answer.groups.map((g) => html`<${Group} study=${study} g=${g} key=${g.example} />`)}`;
}

function Command({ text }: { text: string }) {
  return html`<code>${text}</code>${" "}<button type="button" onClick=${() => copy(text, "the command")}>Copy</button>`;
}

const LISTED = 20;

function Group({ study, g }: { study: Study; g: Failures["groups"][number] }) {
  const [tail, setTail] = useState<string>();
  const { answer } = useAnswer(() => getJson<{ trials: { attempts: { host: string }[] }[] }>(study.path(`trials/${g.example}`)), [g.example]);
  const host = answer?.trials[0]?.attempts.at(-1)?.host;
  const last = g.trials[g.trials.length - 1], state = g.state.replace("_", " ");
  const selector = g.trials.length === g.count && g.count <= 50 ? g.trials.join(",") : "failed";
  const look = async () => setTail(tail === undefined ? await getText(study.path(`trials/${g.example}/log`), { bytes: 4096 }).catch((e) => e.message) : undefined);
  return html`<section class="group"><h3><span style=${{ color: states[g.state]?.color }} aria-hidden="true">${states[g.state]?.mark}</span>${" "}
    ${plural(g.count, "trial")} ${state}</h3>
    <pre>${g.message}</pre>${g.hint && html`<p>${g.hint}</p>`}
    <p class="note">${g.count > 1 ? `from trial ${g.trials[0]} to trial ${last}${g.count > g.trials.length ? " and more" : ""}` : `trial ${g.example}`}${host && `; the first on ${host}`}</p>
    <p>Trials ${g.trials.slice(0, LISTED).map((t, i) => html`${i ? ", " : ""}<a href=${link({ trial: t })}>${t}</a>`)}${g.count > LISTED && " …"}</p>
    <p><${Command} text=${`throng retry ${study.name} ${selector}`} />${" "}
      ${study.about?.control && html`<button type="button" onClick=${() => retry(study, selector)}>Retry these</button>${" "}`}
      ${!isExport() && html`<button type="button" aria-expanded=${tail !== undefined} onClick=${look}>End of the log of trial ${g.example}</button>`}</p>
    ${tail !== undefined && html`<pre class="log" tabindex="0" role="region" aria-label=${`Log of trial ${g.example}`}>${tail || "It printed nothing."}</pre>`}</section>`;
}
