// Where is it good: one parameter against a metric, two as a map, several metrics as a front.
import { useMemo } from "preact/hooks";
import { isExport } from "../api";
import { html } from "../html";
import { Area, area, axes, px, py, RAMP, ramp } from "../axes";
import { cell, chance, Column, drawn, fewValues } from "../columns";
import { css, isDark, magnitude } from "../colors";
import { MARKS_MAX, paintMarks } from "../density";
import { nearest } from "../nearest";
import { Drawing, Figure } from "../figure";
import { exactCount, number } from "../format";
import { goodness } from "../goodness";
import { fit, from, part, Scale, wantsLog } from "../scale";
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

/** Trials of few values are spread a little within the cell of each, so that they can be seen. */
function spreadOf(d: Dim, i: number, salt: number): number {
  const cells = d.scale.texts?.length ?? 0;
  return cells > 0 && cells <= CELLS ? (0.6 * (chance(i + salt) - 0.5)) / cells : 0;
}

function Scatter({ study, x: xAll, y: yAll, mask, version }: Over) {
  const [x, y] = useMemo(() => [celled(xAll), celled(yAll)], [version, xAll.name, yAll.name]);
  const value = study.column("value")!.numbers!;
  const good = useMemo(() => goodness(study, value, mask), [version]);
  const rows: number[] = [];
  for (let i = 0; i < mask.length; i++)
    if (mask[i] && Number.isFinite(x.values[i]) && Number.isFinite(y.values[i])) rows.push(i);
  const across = (a: Area, i: number) => px(a, x.scale, x.values[i]) + spreadOf(x, i, 0) * (a.right - a.left);
  const up = (a: Area, i: number) => py(a, y.scale, y.values[i]) + spreadOf(y, i, 7) * (a.bottom - a.top);
  const twoParameters = y.column.source === "parameter", metric = study.about?.metric ?? "value";
  // Colours have numbers where they are a value's.
  const colored = twoParameters && rows.length <= MARKS_MAX && rows.some((i) => !Number.isNaN(value[i]));
  const areaOf = (d: Drawing) => area(d, 70, colored ? RAMP : undefined);
  const draw = (d: Drawing) => {
    const a = areaOf(d);
    axes(d, a, x.scale, y.scale, x.name + (x.scale.log ? " (log)" : ""), y.name + (y.scale.log ? " (log)" : ""));
    if (rows.length > MARKS_MAX) {
      paintMarks(d, a.left, a.top, a.right - a.left, a.bottom - a.top, magnitude(isDark() ? 0.9 : 0.2), (add) =>
        rows.forEach((i) => add(across(a, i), up(a, i))));
      return;
    }
    for (const i of rows) mark(d, across(a, i), up(a, i), !twoParameters ? d.accent : Number.isNaN(value[i]) ? undefined : brightness(good.of(value[i])));
    d.ctx.globalAlpha = 1;
    if (colored) ramp(d, a, metric, good.at, brightness);
  };
  const near = (mx: number, my: number, width: number) => {
    const a = areaOf({ width, height: 340 } as Drawing);
    const k = nearest(rows.length, mx, my, (i) => [across(a, rows[i]), up(a, rows[i])]);
    const trial = study.trials()[rows[k]];
    return k < 0 ? undefined : { words: `trial ${trial}: ${number(value[rows[k]]) || "no value"}`, open: () => openTrial(trial) };
  };
  // Only a metric over a parameter is a slice.
  const slice = x.column.source === "parameter" && !twoParameters && y.column.name !== "seconds"
    ? plotCommand(study, "slice", { x: x.name, metric: y.name, where: study.wholeFilter() }) : undefined;
  if (!rows.length) return html`<${Nothing} title=${`${y.name} over ${x.name}`} study=${study} what=${twoParameters ? "both" : y.name} />`;
  const empty = twoParameters && rows.some((i) => Number.isNaN(value[i]));
  return html`<${Figure} title=${`${y.name} over ${x.name}`} id="scatter" command=${slice} height=${340} draw=${draw} deps=${[version, x.name, y.name]} near=${near}
    note=${rows.length > MARKS_MAX ? `density of ${exactCount(rows.length)} trials` : twoParameters ? `bright is good${empty ? ", hollow: no value" : ""}` : "click opens a trial"}
    words=${`${exactCount(rows.length)} trials.`}
    table=${() => ({ head: ["trial", x.name, y.name, metric],
      rows: rows.map((i) => [study.trials()[i], cell(x.column, i), cell(y.column, i), Number.isNaN(value[i]) ? undefined : value[i]]) })} />`;
}

/** Instead of a picture without a mark. */
function Nothing({ title, study, what }: { title: string; study: Study; what: string }) {
  return html`<section><h3>${title}</h3><p class="empty">No trial${study.filter || study.brushed ? " of the filter" : ""} has ${what}${study.standing?.running ? " yet" : ""}.</p></section>`;
}

/** The colour of what is so good, from 0 (best) to 1. */
const brightness = (part: number) => css(magnitude(1 - part));

/** A trial; hollow without a colour. */
function mark({ ctx, faint }: Drawing, x: number, y: number, color?: string) {
  ctx.beginPath();
  ctx.arc(x, y, 3, 0, 7);
  ctx.globalAlpha = color ? 0.8 : 1;
  ctx.lineWidth = 1;
  if (color) {
    ctx.fillStyle = color;
    ctx.fill();
  } else {
    ctx.strokeStyle = faint;
    ctx.stroke();
  }
}

const CELLS = 24;

/** Few numbers of a parameter have a cell each, as texts have; what was measured stays where it is. */
function celled(d: Dim): Dim {
  const list = d.scale.texts || d.column.source !== "parameter" ? undefined : fewValues(d.values, CELLS);
  if (!list) return d;
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

/** Where a cell lies: one value, or from one to another. */
const edges = ({ scale }: Dim, i: number, cells: number) => (scale.texts ? [scale.texts[i]] : [from(scale, i / cells), from(scale, (i + 1) / cells)]);
const edgeNames = (d: Dim) => (d.scale.texts ? [d.name] : [`${d.name} from`, `${d.name} to`]);

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
    const a = area(d, 70, RAMP), w = (a.right - a.left) / across, h = (a.bottom - a.top) / up;
    cells.forEach((c, i) => {
      if (!c.n) return;
      d.ctx.fillStyle = brightness(good.of(c.mean));
      d.ctx.fillRect(a.left + (i % across) * w, a.bottom - (Math.floor(i / across) + 1) * h, w + 0.5, h + 0.5);
    });
    axes(d, a, x.scale, y.scale, x.name + (x.scale.log ? " (log)" : ""), y.name + (y.scale.log ? " (log)" : ""));
    ramp(d, a, `mean ${metric}`, good.at, brightness);
  };
  const metric = study.about?.metric ?? "value";
  if (cells.every((c) => !c.n)) return html`<${Nothing} title=${`Mean ${metric} over ${x.name} and ${y.name}`} study=${study} what=${metric} />`;
  return html`<${Figure} title=${`Mean ${metric} over ${x.name} and ${y.name}`} id="contour" command=${plotCommand(study, "contour", { x: x.name, y: y.name, where: study.wholeFilter() })} height=${340} draw=${draw} deps=${[version, x.name, y.name]}
    note="bright is good"
    words=${`A map of ${across} by ${up} cells, from ${number(good.at(0))} to ${number(good.at(1))}; those without a trial are blank.`}
    table=${() => ({ head: [...edgeNames(x), ...edgeNames(y), `mean ${metric}`, "trials"],
      rows: cells.flatMap((c, i) => (c.n ? [[...edges(x, i % across, across), ...edges(y, Math.floor(i / across), up), c.mean, c.n]] : [])) })} />`;
}

/** The first two objectives, with the trials that `rank` has in the Pareto set of the filter. */
function Pareto({ study, mask, version }: { study: Study; mask: Uint8Array; version: number }) {
  const [first, second] = study.about!.objectives;
  const cx = study.column("value"), cy = study.columns!.list.find((c) => c.source === "metric" && c.name === second.name);
  const set = (study.ranked ?? []).filter((t) => t.front === 1 && mask[study.rowOf(t.id)]);
  const [xs, ys] = [0, 1].map((k) => set.map((t) => t.values[k] ?? NaN));
  const order = [...set.keys()].sort((a, b) => xs[a] - xs[b] || ys[a] - ys[b]);
  if (!cx?.numbers || !cy?.numbers || !set.length)
    return html`<${Nothing} title="Pareto front" study=${study} what=${`both ${first.name} and ${second.name}`} />`;
  const x = dim(study, cx, mask), y = dim(study, cy, mask), state = study.column("state")!;
  const rows: number[] = [];
  for (let i = 0; i < mask.length; i++)
    if (mask[i] && Number.isFinite(x.values[i]) && Number.isFinite(y.values[i]) && /^(done|stopped)$/.test(String(cell(state, i)))) rows.push(i);
  const at = (a: Area, i: number): [number, number] => [px(a, x.scale, x.values[i]), py(a, y.scale, y.values[i])];
  const draw = (d: Drawing) => {
    const a = area(d, 70);
    axes(d, a, x.scale, y.scale, `${x.name} (${first.goal})`, `${y.name} (${second.goal})`);
    if (rows.length > MARKS_MAX)
      paintMarks(d, a.left, a.top, a.right - a.left + 2, a.bottom - a.top + 2, [127, 140, 153], (add) => rows.forEach((i) => add(...at(a, i))));
    else rows.forEach((i) => mark(d, ...at(a, i), "#8a959f"));
    d.ctx.strokeStyle = d.ctx.fillStyle = d.accent;
    d.ctx.globalAlpha = 1;
    d.ctx.lineWidth = 1.5;
    d.ctx.beginPath();
    // Of more than two objectives the set is no line.
    if (study.about!.objectives.length === 2) order.forEach((k, i) => {
      const last = order[i - 1], [cx, cy] = first.goal === "maximize" ? [xs[last], ys[k]] : [xs[k], ys[last]];
      if (i) d.ctx.lineTo(px(a, x.scale, cx), py(a, y.scale, cy)); // beyond the step all are beaten
      d.ctx.lineTo(px(a, x.scale, xs[k]), py(a, y.scale, ys[k]));
    });
    d.ctx.stroke();
    order.forEach((k) => d.ctx.fillRect(px(a, x.scale, xs[k]) - 4, py(a, y.scale, ys[k]) - 4, 8, 8));
  };
  const near = (mx: number, my: number, width: number) => {
    const a = area({ width, height: 340 } as Drawing, 70);
    const k = nearest(rows.length, mx, my, (i) => at(a, rows[i]));
    const trial = study.trials()[rows[k]];
    return k < 0 ? undefined : { words: `trial ${trial}: ${number(x.values[rows[k]])}, ${number(y.values[rows[k]])}`, open: () => openTrial(trial) };
  };
  return html`<${Figure} title="Pareto front" id="pareto" command=${plotCommand(study, "pareto", { x: first.name, y: second.name, where: study.wholeFilter() })} height=${340} draw=${draw} deps=${[version]} near=${near}
    note=${`squares: ${exactCount(set.length)} of ${exactCount(rows.length)} trials${isExport() && (study.filter || study.brushed) ? "; the set of all trials, as far as the filter has it" : ""}`}
    words=${`${exactCount(set.length)} trials that no other beats in every objective, from ${x.name} ${number(xs[order[0]])} to ${number(xs[order[order.length - 1]])}.`}
    table=${() => ({ head: ["trial", x.name, y.name], rows: order.map((k) => [set[k].id, xs[k], ys[k]]), note: "No other trial beats one of these in every objective." })} />`;
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
