// One glance: is it alive, how far, how good, is anything wrong.
import { ComponentChildren } from "preact";
import { html } from "./html";
import { go, link } from "./place";
import { count, exactCount, number, plural, seconds, time } from "./format";
import { bad, states } from "./colors";
import { Study } from "./study";
import { act } from "./api";
import { say } from "./say";

const order = ["done", "stopped", "running", "paused", "waiting", ...bad];

function Bar({ study }: { study: Study }) {
  const s = study.standing!;
  const made = Object.values(s.states).reduce((a, b) => a + b, 0);
  const total = Math.max(s.total ?? made, made, 1);
  const parts = order.filter((n) => s.states[n]);
  const words = parts.map((n) => `${exactCount(s.states[n])} ${n.replace("_", " ")}`).join(", ");
  return html`<div class="bar" role="img" aria-label=${`Trials: ${words || "none yet"}, of ${exactCount(total)}`}>
    ${parts.map((n) => html`<span title=${`${exactCount(s.states[n])} ${n}`}
      style=${{ width: `${(100 * s.states[n]) / total}%`, background: states[n].color }}></span>`)}</div>`;
}

function stateWord(study: Study): string {
  const s = study.standing;
  if (study.link === "lost") {
    const old = study.heard ? ` · last heard ${seconds((Date.now() - study.heard) / 1000)} ago` : "";
    return `no answer from the server${old}; trying again`;
  }
  if (!s) return "…";
  if (s.running) return "running";
  const open = (s.states.running ?? 0) + (s.states.waiting ?? 0) + (s.states.paused ?? 0);
  return open || (s.total !== null && s.finished < s.total) ? "not running" : "finished";
}

async function end(study: Study, verb: string) {
  try {
    say((await act(study.name, { verb })).text);
  } catch (e) {
    say((e as Error).message);
  }
}

/** Which study; of a stage, of which campaign. */
function Name({ study }: { study: Study }) {
  const clear = { view: "overview", where: "", brushes: [], trial: 0, chosen: [], pinned: [], columns: [] };
  const parts = study.name.split("/"), chevron = html`<span class="chevron" aria-hidden="true">›</span>`;
  return html`<h1><a href=${link({ ...clear, study: "" })} title="All studies">throng</a>${chevron}
    ${parts.length > 1 && html`<a href=${link({ ...clear, study: parts[0] })} title="The campaign">${parts[0]}</a>${chevron}`}${parts[parts.length - 1]}</h1>`;
}

export function CampaignTop({ study, tools }: { study: Study; tools: ComponentChildren }) {
  return html`<header class="top" data-link=${study.link}><${Name} study=${study} />
    ${study.link === "lost" && html`<span class="word no" role="status">${stateWord(study)}</span>`}
    <span class="grow"></span><span class="controls tools">${tools}</span></header>`;
}

export function Top({ study }: { study: Study }) {
  const s = study.standing, word = stateWord(study), failed = study.failures();
  const metric = study.about?.metric;
  return html`<header class="top" data-link=${study.link}>
    <${Name} study=${study} />
    <span class=${`word ${word.split(" ")[0]}`} role="status">${word}</span>
    ${s && html`<${Bar} study=${study} />
      <span class="fact">${exactCount(s.finished)}${s.total !== null && ` / ${exactCount(s.total)}`} trials</span>
      ${s.rate !== null && html`<span class="fact">${number(s.rate, 3)}/s</span>`}
      ${s.left !== null && html`<span class="fact">${seconds(s.left)} left</span>`}
      ${s.best && html`<a class="fact best" href=${link({ trial: s.best.id })}>best ${metric} ${number(s.best.value)} <small>trial ${s.best.id}</small></a>`}
      ${failed > 0 && html`<a class="fact failed" href=${link({ view: "errors" })} title=${plural(failed, "failure")}>✕ ${count(failed)} failed</a>`}
      ${word === "not running" && html`<code class="fact" title="goes on where it was">${study.about?.resume}</code>`}
      ${study.about?.control && s.running && html`<span class="fact">
        <button type="button" onClick=${() => end(study, "stop")}>Stop</button></span>`}`}
    ${s?.as_of && html`<span class="note" title="the study lies on a network: a copy of its store is read">as of ${time(s.as_of)}, ${seconds(Math.max(Date.now() / 1000 - s.as_of, 0))} ago</span>`}
    ${document.getElementById("throng-export") && html`<span class="note">an exported page: as the study stood then</span>`}
    ${study.fault && html`<span class="fault" role="alert">${study.fault}</span>`}
  </header>`;
}

export function openTrial(trial: number) {
  go({ trial });
}
