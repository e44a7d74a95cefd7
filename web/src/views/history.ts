// The best so far, with every trial as a dot.
import { html } from "../html";
import { area, axes, px, py } from "../axes";
import { MARKS_MAX, paintMarks, rgb } from "../density";
import { Drawing, Figure } from "../figure";
import { exactCount, number } from "../format";
import { fit, Scale, wantsLog } from "../scale";
import { nearest } from "../nearest";
import { openTrial } from "../top";
import { plotCommand } from "../plot_command";
import { Study } from "../study";

const HEIGHT = 260;

interface Best {
  trial: number;
  value: number;
}

/** Each better than all before it. */
export function records(ids: ArrayLike<number>, values: ArrayLike<number>, minimize: boolean, mask: Uint8Array): Best[] {
  const list: Best[] = [];
  for (let i = 0; i < values.length; i++) {
    const v = values[i], last = list[list.length - 1];
    if (!mask[i] || Number.isNaN(v)) continue;
    if (!last || (minimize ? v < last.value : v > last.value)) list.push({ trial: ids[i], value: v });
  }
  return list;
}

/** Outliers far above would flatten the rest: the axis ends where nearly all are. */
function shownRange(values: ArrayLike<number>, mask: Uint8Array, minimize: boolean): Scale {
  const log = wantsLog(values);
  const scale = fit(values, log, undefined, mask);
  const finite = [];
  const every = Math.max(1, Math.floor(values.length / 5000));
  for (let i = 0; i < values.length; i += every) if (mask[i] && Number.isFinite(values[i])) finite.push(values[i]);
  if (finite.length < 20 || log) return scale;
  finite.sort((a, b) => a - b);
  const cut = finite[Math.floor(finite.length * (minimize ? 0.98 : 0.02))];
  const bestEnd = minimize ? scale.min : scale.max;
  if (Math.abs((minimize ? scale.max : scale.min) - bestEnd) > 3 * Math.abs(cut - bestEnd) && cut !== bestEnd)
    return minimize ? { ...scale, max: cut } : { ...scale, min: cut };
  return scale;
}

export function History({ study, version }: { study: Study; version: number }) {
  const ids = study.trials(), column = study.column("value");
  const values = column?.numbers ?? new Float64Array(0);
  const mask = study.mask(), minimize = study.minimizes();
  const best = records(ids, values, minimize, mask);
  if (!best.length)
    return html`<section><h3>Best so far</h3><p class="empty">No trial${study.filter || study.brushed ? " of the filter" : ""} has a value${study.standing?.running ? " yet" : ""}.</p></section>`;
  const metric = study.about?.metric ?? "value";
  let shown = 0;
  for (let i = 0; i < values.length; i++) if (mask[i] && Number.isFinite(values[i])) shown++;
  const y = shownRange(values, mask, minimize);
  const x = fit([ids.length ? ids[0] : 1, ids.length ? ids[ids.length - 1] : 1], false);
  const draw = (d: Drawing) => {
    const a = area(d);
    axes(d, a, x, y, "trial", `${metric}${y.log ? " (log)" : ""}`);
    dots(d, a);
    d.ctx.save();
    d.ctx.beginPath();
    d.ctx.rect(a.left, a.top, a.right - a.left, a.bottom - a.top + 1);
    d.ctx.clip();
    d.ctx.strokeStyle = d.accent;
    d.ctx.lineWidth = 2;
    d.ctx.beginPath();
    best.forEach((b, i) => {
      if (i) d.ctx.lineTo(px(a, x, b.trial), py(a, y, best[i - 1].value));
      else d.ctx.moveTo(px(a, x, b.trial), py(a, y, b.value));
      d.ctx.lineTo(px(a, x, b.trial), py(a, y, b.value));
    });
    if (best.length) d.ctx.lineTo(a.right, py(a, y, best[best.length - 1].value));
    d.ctx.stroke();
    d.ctx.restore();
  };
  const dots = (d: Drawing, a: ReturnType<typeof area>) => {
    const w = Math.floor(a.right - a.left), h = Math.floor(a.bottom - a.top);
    if (shown > MARKS_MAX) {
      paintMarks(d, a.left, a.top, w, h, rgb("#7f8c99"), (add) => {
        for (let i = 0; i < values.length; i++) if (mask[i]) add(px(a, x, ids[i]), py(a, y, values[i]));
      });
      return;
    }
    d.ctx.fillStyle = d.ink;
    d.ctx.globalAlpha = 0.35;
    for (let i = 0; i < values.length; i++) {
      if (!mask[i] || !Number.isFinite(values[i])) continue;
      const at = py(a, y, values[i]);
      if (at < a.top || at > a.bottom + 1) continue;
      d.ctx.beginPath();
      d.ctx.arc(px(a, x, ids[i]), at, 2, 0, 7);
      d.ctx.fill();
    }
    d.ctx.globalAlpha = 1;
  };
  const near = (mx: number, my: number, width: number) => {
    const a = area({ width, height: HEIGHT } as Drawing);
    const row = nearest(values.length, mx, my, (i) => (mask[i] ? [px(a, x, ids[i]), py(a, y, values[i])] : undefined));
    return row < 0 ? undefined : { words: `trial ${ids[row]}: ${number(values[row])}`, open: () => openTrial(ids[row]) };
  };
  const last = best[best.length - 1];
  const outside = values.length ? countOutside(values, mask, y) : 0;
  return html`<${Figure} title="Best so far" id="history" command=${plotCommand(study, "history", { where: study.wholeFilter() })} height=${HEIGHT} draw=${draw} near=${near} deps=${[version]}
    note=${[shown > MARKS_MAX && `density of ${exactCount(shown)} trials`, outside > 0 && `${exactCount(outside)} beyond the axis`].filter(Boolean).join("; ")}
    words=${last ? `${metric} ${number(last.value)} of trial ${last.trial} is the best of ${exactCount(shown)} trials; it improved ${best.length - 1} times.` : "No trial has a value yet."}
    table=${() => ({ head: ["trial", metric], rows: best.map((b) => [b.trial, b.value]), note: "Each row is better than all before it." })}
    />`;
}

function countOutside(values: ArrayLike<number>, mask: Uint8Array, y: Scale): number {
  let n = 0;
  for (let i = 0; i < values.length; i++)
    if (mask[i] && Number.isFinite(values[i]) && (values[i] > y.max || values[i] < y.min)) n++;
  return n;
}
