// How do they learn: curves of the chosen or the best trials, or bands of very many.
import { useMemo } from "preact/hooks";
import { html } from "../html";
import { getJson } from "../api";
import { bestRows } from "../best";
import { BandsOf, bandsPicture, CurvesOf, curvesPicture } from "../curves";
import { exactCount, number } from "../format";
import { go, Place } from "../place";
import { plotCommand } from "../plot_command";
import { Study, useAnswer, useStudy } from "../study";
import { CurvePlot } from "./curve_plot";

const BEST = 20;

export function Curves({ study, place }: { study: Study; place: Place }) {
  useStudy(study);
  const { log, time: byTime, group: by } = place;
  const way = place.of || (place.chosen.length ? "chosen" : "best");
  const metrics = study.about?.metrics ?? [];
  const metric = place.metric || study.about?.metric || metrics[0] || "";
  const ids = study.trials();
  const trials = way === "chosen" && place.chosen.length ? place.chosen : bestRows(study, BEST).map((r) => ids[r]);
  const wants = trials.join(",");
  const curves = useAnswer(
    () => (way === "bands" || !metric || !wants ? Promise.resolve(undefined)
      : getJson<CurvesOf>(study.path("curves"), { trials: wants, metric, points: 600 })),
    [way, metric, wants, study.columns!.revision]);
  const bands = useAnswer(
    () => (way !== "bands" || !metric ? Promise.resolve(undefined)
      : getJson<BandsOf>(study.path("bands"), { metric, where: place.where, by, points: 200 })),
    [way, metric, place.where, by, study.standing?.finished]);
  const picture = useMemo(() => {
    if (way === "bands") return bands.answer && bandsPicture(bands.answer);
    return curves.answer && curvesPicture(curves.answer, byTime, place.smooth);
  }, [way, curves.answer, bands.answer, byTime, place.smooth]);
  const fault = way === "bands" ? bands.fault : curves.fault;
  if (!metrics.length) return html`<p class="empty">No trial has reported a metric yet.</p>`;
  return html`<div class="controls">
    <label>Metric <select value=${metric} onChange=${(e: Event) => go({ metric: (e.target as HTMLSelectElement).value }, true)}>
      ${metrics.map((m) => html`<option>${m}</option>`)}</select></label>
    <label>Of <select value=${way} onChange=${(e: Event) => go({ of: (e.target as HTMLSelectElement).value }, true)}>
      <option value="best">the best ${BEST}</option><option value="chosen" disabled=${!place.chosen.length}>those selected (${place.chosen.length})</option>
      <option value="bands">all, as bands</option></select></label>
    ${way === "bands" && html`<label>By <select value=${by} onChange=${(e: Event) => go({ group: (e.target as HTMLSelectElement).value }, true)}>
      <option value="">no parameter</option>${study.parameters().map((p) => html`<option>${p.name}</option>`)}</select></label>`}
    ${way !== "bands" && html`<label>Smoothing <input type="range" min="0" max="0.98" step="0.02" value=${place.smooth}
      onInput=${(e: Event) => go({ smooth: Number((e.target as HTMLInputElement).value) }, true)} /> ${number(place.smooth)}</label>
    <label><input type="checkbox" checked=${byTime} onChange=${() => go({ time: !byTime }, true)} /> over time</label>`}
    <label><input type="checkbox" checked=${log} onChange=${() => go({ log: !log }, true)} /> logarithmic</label></div>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${picture && html`<${CurvePlot} command=${plotCommand(study, "curves", way === "bands" ? { metric, group: by, where: place.where } : { metric, trials: wants })} picture=${picture} logY=${log} title=${metric} xName=${byTime && way !== "bands" ? "seconds since its first report" : "step"} />`}
    ${way === "bands" && study.brushed && html`<p class="note">Bands are those of the filter; brushes do not change them.</p>`}
    ${way === "bands" && bands.answer && bands.answer.used < bands.answer.total && html`<p class="note">
      Of ${exactCount(bands.answer.total)} trials ${exactCount(bands.answer.used)} were taken, evenly.</p>`}`;
}
