// Where is it good: one parameter against a metric, two as a map, several metrics as a front.
import { useMemo } from "preact/hooks";
import { html } from "../html";
import { Area, area, axes, px, py } from "../axes";
import { cell, chance, Column, drawn, isDiscrete } from "../columns";
import { css, isDark, magnitude } from "../colors";
import { MARKS_MAX, paintMarks } from "../density";
import { nearest } from "../nearest";
import { Drawing, Figure } from "../figure";
import { exactCount, number } from "../format";
import { goodness } from "../goodness";
import { fit, part, Scale, wantsLog } from "../scale";
import { go, Place } from "../place";
import { openTrial } from "../top";
import { plotCommand } from "../plot_command";
import { Study, useStudy } from "../study";
import { Parallel } from "./parallel";

interface Dim {
  name: string;
  column: Column;
  values: ArrayLike<number>;
  scale: Scale;
}

function dim(study: Study, column: Column, mask: Uint8Array): Dim {
  const { values, texts } = drawn(column, study.columns!.rows);
  const log = !texts && (study.isLog(column.name) || (column.source !== "parameter" && wantsLog(values)));
  const name = column.name === "value" && column.source === "trial" ? study.about?.metric ?? "value" : column.name;
  return { name, column, values, scale: fit(values, log, texts, mask) };
}

function Scatter({ study, x, y, mask, version }: Over) {
  const value = study.column("value")!.numbers!;
  const good = useMemo(() => goodness(study, value, mask), [version]);
  const rows: number[] = [];
  for (let i = 0; i < mask.length; i++)
    if (mask[i] && Number.isFinite(x.values[i]) && Number.isFinite(y.values[i])) rows.push(i);
  // Trials of few values are spread a little, so that they can be seen.
  const spread = isDiscrete(x.values) ? 0.6 / Math.max(new Set(Array.from(x.values).filter(Number.isFinite)).size, 2) : 0;
  const across = (a: Area, i: number) => px(a, x.scale, x.values[i]) + (chance(i) - 0.5) * spread * (a.right - a.left);
  const twoParameters = y.column.source === "parameter";
  const draw = (d: Drawing) => {
    const a = area(d, 70);
    axes(d, a, x.scale, y.scale, x.name + (x.scale.log ? " (log)" : ""), y.name + (y.scale.log ? " (log)" : ""));
    if (rows.length > MARKS_MAX) {
      paintMarks(d, a.left, a.top, a.right - a.left, a.bottom - a.top, magnitude(isDark() ? 0.9 : 0.2), (add) =>
        rows.forEach((i) => add(across(a, i), py(a, y.scale, y.values[i]))));
      return;
    }
    for (const i of rows) {
      d.ctx.fillStyle = twoParameters ? css(magnitude(1 - good(value[i]))) : d.accent;
      d.ctx.globalAlpha = twoParameters ? 0.9 : 0.5;
      d.ctx.beginPath();
      d.ctx.arc(across(a, i), py(a, y.scale, y.values[i]), 3, 0, 7);
      d.ctx.fill();
    }
    d.ctx.globalAlpha = 1;
  };
  const near = (mx: number, my: number, width: number) => {
    const a = area({ width, height: 340 } as Drawing, 70);
    const k = nearest(rows.length, mx, my, (i) => [across(a, rows[i]), py(a, y.scale, y.values[rows[i]])]);
    const trial = study.trials()[rows[k]];
    return k < 0 ? undefined : { words: `trial ${trial}: ${number(value[rows[k]])}`, open: () => openTrial(trial) };
  };
  const metric = study.about?.metric ?? "value";
  // Only a metric over a parameter is a slice.
  const slice = x.column.source === "parameter" && !twoParameters && y.column.name !== "seconds"
    ? plotCommand(study, "slice", { x: x.name, metric: y.name, where: study.filterText }) : undefined;
  return html`<${Figure} title=${`${y.name} over ${x.name}`} id="scatter" command=${slice} height=${340} draw=${draw} deps=${[version, x.name, y.name]} near=${near}
    note=${[rows.length > MARKS_MAX ? `density of ${exactCount(rows.length)} trials` : twoParameters ? `bright is good (${metric}); click opens a trial` : "click opens a trial", spread && "spread sideways"].filter(Boolean).join("; ")}
    words=${`${exactCount(rows.length)} trials.`}
    table=${() => ({ head: ["trial", x.name, y.name, metric],
      rows: rows.map((i) => [study.trials()[i], cell(x.column, i), cell(y.column, i), value[i]]) })} />`;
}

const CELLS = 24;

/** Few numbers have a cell each, as texts have. */
function celled(d: Dim): Dim {
  if (d.scale.texts || !isDiscrete(d.values, CELLS)) return d;
  const list = [...new Set(Array.from(d.values).filter(Number.isFinite))].sort((a, b) => a - b);
  const place = new Map(list.map((v, i) => [v, i]));
  return { ...d, values: Float64Array.from(d.values, (v) => place.get(v) ?? NaN), scale: fit([], false, list.map((v) => number(v))) };
}

interface Over {
  study: Study;
  x: Dim;
  y: Dim;
  mask: Uint8Array;
  version: number;
}

/** The mean of the metric over two parameters, in cells. */
function Contour({ study, x: xAll, y: yAll, mask, version }: Over) {
  const [x, y] = useMemo(() => [celled(xAll), celled(yAll)], [version, xAll.name, yAll.name]);
  const value = study.column("value")!.numbers!;
  const { cells, across, up } = useMemo(() => {
    const nx = x.scale.texts?.length ?? CELLS, ny = y.scale.texts?.length ?? CELLS;
    const sum = new Float64Array(nx * ny), n = new Uint32Array(nx * ny);
    for (let i = 0; i < mask.length; i++) {
      if (!mask[i] || !Number.isFinite(value[i])) continue;
      const cx = Math.min(Math.floor(part(x.scale, x.values[i]) * nx), nx - 1);
      const cy = Math.min(Math.floor(part(y.scale, y.values[i]) * ny), ny - 1);
      if (!(cx >= 0) || !(cy >= 0)) continue;
      sum[cy * nx + cx] += value[i];
      n[cy * nx + cx]++;
    }
    return { cells: [...sum].map((s, i) => ({ mean: s / n[i], n: n[i] })), across: nx, up: ny };
  }, [version, x.name, y.name]);
  const good = useMemo(() => goodness(study, cells.map((c) => c.mean), new Uint8Array(cells.length).fill(1)), [cells]);
  const draw = (d: Drawing) => {
    const a = area(d, 70), w = (a.right - a.left) / across, h = (a.bottom - a.top) / up;
    cells.forEach((c, i) => {
      if (!c.n) return;
      d.ctx.fillStyle = css(magnitude(1 - good(c.mean)));
      d.ctx.fillRect(a.left + (i % across) * w, a.bottom - (Math.floor(i / across) + 1) * h, w + 0.5, h + 0.5);
    });
    axes(d, a, x.scale, y.scale, x.name + (x.scale.log ? " (log)" : ""), y.name + (y.scale.log ? " (log)" : ""));
  };
  const metric = study.about?.metric ?? "value";
  return html`<${Figure} title=${`Mean ${metric} over ${x.name} and ${y.name}`} id="contour" command=${plotCommand(study, "contour", { x: x.name, y: y.name, where: study.filterText })} height=${340} draw=${draw} deps=${[version, x.name, y.name]}
    note="bright is good; blank: no trial"
    words=${`A map of ${across} by ${up} cells.`}
    table=${() => ({ head: [`${x.name} (cell)`, `${y.name} (cell)`, `mean ${metric}`, "trials"],
      rows: cells.map((c, i) => [x.scale.texts?.[i % across] ?? i % across, y.scale.texts?.[Math.floor(i / across)] ?? Math.floor(i / across), c.n ? c.mean : undefined, c.n]).filter((r) => r[3]) })} />`;
}

/** Trials that no other beats in both. */
function front(xs: ArrayLike<number>, ys: ArrayLike<number>, rows: number[], down: [boolean, boolean]): number[] {
  const sx = down[0] ? 1 : -1, sy = down[1] ? 1 : -1;
  const order = [...rows].sort((a, b) => sx * (xs[a] - xs[b]) || sy * (ys[a] - ys[b]));
  const list: number[] = [];
  let best = Infinity;
  for (const i of order)
    if (sy * ys[i] < best) {
      best = sy * ys[i];
      list.push(i);
    }
  return list;
}

function Pareto({ study, mask, version }: { study: Study; mask: Uint8Array; version: number }) {
  const [first, second] = study.about!.objectives;
  const cx = study.column(first.name), cy = study.column(second.name);
  if (!cx?.numbers || !cy?.numbers) return html`<p class="empty">No trial has reported both ${first.name} and ${second.name} yet.</p>`;
  const x = dim(study, cx, mask), y = dim(study, cy, mask);
  const rows: number[] = [];
  for (let i = 0; i < mask.length; i++) if (mask[i] && Number.isFinite(x.values[i]) && Number.isFinite(y.values[i])) rows.push(i);
  const best = front(x.values, y.values, rows, [first.goal === "minimize", second.goal === "minimize"]);
  const draw = (d: Drawing) => {
    const a = area(d, 70);
    axes(d, a, x.scale, y.scale, `${x.name} (${first.goal})`, `${y.name} (${second.goal})`);
    const at = (i: number): [number, number] => [px(a, x.scale, x.values[i]), py(a, y.scale, y.values[i])];
    paintMarks(d, a.left, a.top, a.right - a.left + 2, a.bottom - a.top + 2, [127, 140, 153], (add) => rows.forEach((i) => add(...at(i))));
    d.ctx.strokeStyle = d.ctx.fillStyle = d.accent;
    d.ctx.lineWidth = 1.5;
    d.ctx.beginPath();
    best.forEach((i) => d.ctx.lineTo(px(a, x.scale, x.values[i]), py(a, y.scale, y.values[i])));
    d.ctx.stroke();
    best.forEach((i) => d.ctx.fillRect(px(a, x.scale, x.values[i]) - 3, py(a, y.scale, y.values[i]) - 3, 6, 6));
  };
  const near = (mx: number, my: number, width: number) => {
    const a = area({ width, height: 340 } as Drawing, 70);
    const k = nearest(rows.length, mx, my, (i) => [px(a, x.scale, x.values[rows[i]]), py(a, y.scale, y.values[rows[i]])]);
    const trial = study.trials()[rows[k]];
    return k < 0 ? undefined : { words: `trial ${trial}: ${number(x.values[rows[k]])}, ${number(y.values[rows[k]])}`, open: () => openTrial(trial) };
  };
  return html`<${Figure} title="Pareto front" id="pareto" command=${plotCommand(study, "pareto", { x: first.name, y: second.name, where: study.filterText })} height=${340} draw=${draw} deps=${[version]} near=${near}
    note=${`${exactCount(best.length)} trials that no other beats in both, of ${exactCount(rows.length)}`}
    words=${`From ${x.name} ${number(x.values[best[0]])} to ${number(x.values[best[best.length - 1]])}.`}
    table=${() => ({ head: ["trial", x.name, y.name], rows: best.map((i) => [study.trials()[i], x.values[i], y.values[i]]) })} />`;
}

export function Parameters({ study, place }: { study: Study; place: Place }) {
  const version = useStudy(study);
  const mask = study.mask();
  const value = study.column("value");
  const parameters = study.parameters();
  if (!value || !parameters.length) return html`<p class="empty">There is no parameter to draw over.</p>`;
  const choices = [...parameters, value, ...study.columns!.list.filter((c) => c.source === "metric" || c.name === "seconds")];
  const pick = (name: string, otherwise: Column) => choices.find((c) => c.name === name) ?? otherwise;
  const x = dim(study, pick(place.x, parameters[0]), mask), y = dim(study, pick(place.y, value), mask);
  const select = (label: string, now: Dim, set: (n: string) => void) => html`<label>${label} <select value=${now.column.name}
    onChange=${(e: Event) => set((e.target as HTMLSelectElement).value)}>${choices.map((c) => html`<option value=${c.name}>${c.name === "value" ? study.about?.metric : c.name}</option>`)}</select></label>`;
  const two = x.column.source === "parameter" && y.column.source === "parameter" && x.name !== y.name;
  // Over one parameter the map is that with its neighbour.
  const other = two ? y.column : x.column.source === "parameter" && parameters.find((c) => c.name !== x.name);
  return html`<div class="controls">${select("Across", x, (n) => go({ x: n }, true))}${select("Up", y, (n) => go({ y: n }, true))}
</div>
    <div class="grid"><${Scatter} study=${study} x=${x} y=${y} mask=${mask} version=${version} />
    ${other && html`<${Contour} study=${study} x=${x} y=${dim(study, other, mask)} mask=${mask} version=${version} />`}
    ${(study.about?.objectives.length ?? 0) > 1 && html`<${Pareto} study=${study} mask=${mask} version=${version} />`}
    <div class="wide"><${Parallel} study=${study} version=${version} /></div></div>`;
}
