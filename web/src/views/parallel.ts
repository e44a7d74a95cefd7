// Parallel coordinates: every trial a line over its parameters and its value. Many lines are a density; a drag
// along an axis brushes, and all views follow.
import { useMemo, useRef } from "preact/hooks";
import { html } from "../html";
import { cell, chance, Column, drawn, fewValues, isConstant, isDiscrete } from "../columns";
import { bestRows } from "../best";
import { between, Brush, brushText } from "../brush";
import { Density, MARKS_MAX } from "../density";
import { label, short } from "../axes";
import { Drawing, Figure } from "../figure";
import { exactCount, number } from "../format";
import { css, isDark, magnitude } from "../colors";
import { goodness } from "../goodness";
import { go } from "../place";
import { fit, part, Scale, ticks, wantsLog } from "../scale";
import { plotCommand } from "../plot_command";
import { Study } from "../study";
import { BrushFields } from "./brush_fields";

const BINS = 128;
const AXES_MAX = 14;
const MARKED = 12; // values of an axis that has no others
const BEST = 50;
const TOP = 34, BOTTOM = 22, SIDE = 46;

interface Axis {
  name: string;
  values: ArrayLike<number>;
  scale: Scale;
  /** Of each row; 255: none. */
  bins: Uint8Array;
  /** Where each bin lies: of few values, where they are. */
  at: Float64Array;
  discrete: boolean;
}

function makeAxis(study: Study, c: Column, rows: number): Axis {
  const { values, texts } = drawn(c, rows);
  const log = !texts && (study.isLog(c.name) || (c.source !== "parameter" && wantsLog(values)));
  const scale = { ...fit(values, log, texts), marks: texts ? undefined : fewValues(values, MARKED) };
  const bins = new Uint8Array(rows), at = new Float64Array(BINS), discrete = isDiscrete(values);
  for (let i = 0; i < BINS; i++) at[i] = i / BINS;
  for (let i = 0; i < rows; i++) {
    const place = part(scale, values[i]);
    bins[i] = place >= 0 && place <= 1 ? Math.min((place * BINS) | 0, BINS - 1) : 255;
    if (discrete && bins[i] !== 255) at[bins[i]] = place;
  }
  return { name: c.name, values, scale, bins, at, discrete };
}

/** Lines between two axes, gathered by the bins they join: by a quarter of the bins where it has to be quick. */
function addLines(density: Density, left: Axis, right: Axis, x0: number, x1: number, h: number, mask: Uint8Array, quick: boolean) {
  const low = quick && !left.discrete ? 0xfc : 0xff, high = quick && !right.discrete ? 0xfc : 0xff;
  const joined = new Uint32Array(BINS * BINS);
  for (let i = 0; i < mask.length; i++)
    if (mask[i] && left.bins[i] !== 255 && right.bins[i] !== 255) joined[(left.bins[i] & low) * BINS + (right.bins[i] & high)]++;
  // Somewhere in its bin: lines from the middles of bins would make a pattern that is not in the trials.
  const y = (axis: Axis, bin: number, key: number) =>
    (1 - (axis.at[bin] + (axis.discrete ? 0 : (quick ? 4 : 1) * chance(key) / BINS))) * (h - 1);
  for (let a = 0; a < BINS; a++)
    for (let b = 0; b < BINS; b++) {
      const key = a * BINS + b;
      if (joined[key]) density.line(x0, y(left, a, key), x1, y(right, b, key + BINS * BINS), joined[key]);
    }
}

/** Which are good would drown in so many: the best are drawn over them. */
function drawDensity(d: Drawing, axes: Axis[], mask: Uint8Array, best: number[], quick: boolean, at: (i: number) => number, h: number) {
  const density = new Density(Math.floor(d.width), h);
  for (let i = 0; i + 1 < axes.length; i++) addLines(density, axes[i], axes[i + 1], at(i), at(i + 1), h, mask, quick);
  density.paint(d, 0, TOP, isDark() ? [127, 140, 153] : [96, 112, 128], 12);
  d.ctx.lineWidth = 1.25;
  d.ctx.strokeStyle = isDark() ? css(magnitude(1)) : "#b36b00";
  d.ctx.globalAlpha = 0.75;
  for (const i of best) line(d, axes, i, at, h);
  d.ctx.globalAlpha = 1;
}

/** One trial's, broken where it has no value. */
function line({ ctx }: Drawing, axes: Axis[], i: number, at: (i: number) => number, h: number) {
  let drawn = false;
  ctx.beginPath();
  axes.forEach((a, k) => {
    const y = TOP + h - part(a.scale, a.values[i]) * h;
    if (!Number.isFinite(y)) drawn = false;
    else if (drawn) ctx.lineTo(at(k), y);
    else ctx.moveTo(at(k), y);
    drawn = Number.isFinite(y);
  });
  ctx.stroke();
}

/** Few enough to draw each in the colour of how good it is, the best last. */
function drawLines(d: Drawing, study: Study, axes: Axis[], mask: Uint8Array, at: (i: number) => number, h: number) {
  const values = study.column("value")?.numbers ?? new Float64Array(mask.length).fill(NaN);
  const good = goodness(study, values, mask).of;
  const rows = [...mask.keys()].filter((i) => mask[i]).map((i) => ({ i, bad: Number.isNaN(values[i]) ? 2 : good(values[i]) }));
  d.ctx.lineWidth = rows.length > 300 ? 1 : 1.5;
  for (const { i, bad } of rows.sort((a, b) => b.bad - a.bad)) {
    d.ctx.strokeStyle = Number.isNaN(values[i]) ? d.faint : css(magnitude(isDark() ? 1 - 0.75 * bad : 0.85 * (1 - bad)));
    d.ctx.globalAlpha = rows.length > 300 ? 0.5 : 0.8;
    line(d, axes, i, at, h);
  }
  d.ctx.globalAlpha = 1;
}

export function Parallel({ study, version }: { study: Study; version: number }) {
  const rows = study.columns!.rows;
  const vary = useMemo(() => study.parameters().filter((c) => !isConstant(c, rows)), [study.columns, study.columns!.revision]);
  const axes = useMemo(() => {
    const value = study.column("value");
    const list = vary.slice(0, AXES_MAX), has = value?.numbers?.some(Number.isFinite);
    return [...list, ...(value && has ? [{ ...value, name: study.about?.metric ?? "value" }] : [])].map((c) => makeAxis(study, c, rows));
  }, [study.columns, study.columns!.revision]);
  const drag = useRef<{ axis: Axis; start: number } | undefined>(undefined);
  const setBrush = (name: string, brush?: Brush) =>
    [...study.brushes.filter((b) => b.name !== name), ...(brush ? [brush] : [])];
  const settle = (brushes: Brush[]) => {
    study.setBrushes(brushes);
    go({ brushes: brushes.map(brushText) }, true);
  };
  const height = 300;
  const place = (i: number, width: number) => SIDE + (i * (width - 2 * SIDE)) / Math.max(axes.length - 1, 1);
  const mask = study.mask();
  const shown = mask.reduce((n, v) => n + v, 0);
  const many = shown > MARKS_MAX;
  const best = useMemo(() => (many ? bestRows(study, BEST) : []), [version, many]);
  if (axes.length < 2) return html`<section><h3>Parallel coordinates</h3><p class="empty">There are no two things that differ between trials.</p></section>`;
  const draw = (d: Drawing) => {
    const h = d.height - TOP - BOTTOM;
    if (many) drawDensity(d, axes, mask, best, !!drag.current, (i) => Math.round(place(i, d.width)), h);
    else drawLines(d, study, axes, mask, (i) => place(i, d.width), h);
    axes.forEach((a, i) => drawAxis(d, a, place(i, d.width), h, i, axes.length, study.brushes.find((b) => b.name === a.name)));
  };
  const pointer = (kind: string, x: number, y: number, width: number) => {
    const h = height - TOP - BOTTOM;
    const up = Math.min(Math.max(1 - (y - TOP) / h, 0), 1);
    if (kind === "down") {
      const i = axes.map((_, k) => Math.abs(place(k, width) - x)).reduce((m, v, k, all) => (v < all[m] ? k : m), 0);
      drag.current = { axis: axes[i], start: up };
    } else if (drag.current && (kind === "move" || kind === "up")) {
      const { axis, start } = drag.current, wide = Math.abs(start - up) >= 0.01;
      const brushes = setBrush(axis.name, wide ? between(axis.name, axis.scale, Math.min(start, up), Math.max(start, up)) : undefined);
      if (kind === "up") drag.current = undefined;
      if (kind === "up") settle(brushes);
      else study.setBrushes(brushes);
    }
  };
  const ranges = study.brushes.filter((b) => axes.some((a) => a.name === b.name)).map(said);
  return html`<${Figure} title="Parallel coordinates" id="parallel" command=${plotCommand(study, "parallel", { where: study.wholeFilter() })} height=${height} least=${axes.length * 52} draw=${draw} pointer=${pointer}
    deps=${[version, study.columns!.revision]}
    note=${`${many ? `density of ${exactCount(shown)} trials, the best ${best.length} as lines` : "bright is good"}; drag along an axis to keep a part${vary.length > AXES_MAX ? `; the first ${AXES_MAX} of ${vary.length} parameters that differ` : ""}`}
    words=${`Lines of ${exactCount(shown)} trials over ${axes.map((a) => a.name).join(", ")}.${ranges.length ? ` Kept: ${ranges.join("; ")}.` : ""}`}
    table=${() => tableOf(study, mask)}>
    <details class="brushes"><summary>Brush by keyboard</summary>
      <${BrushFields} axes=${axes} brushes=${study.brushes} set=${(name: string, brush?: Brush) => settle(setBrush(name, brush))} /></details>
  </${Figure}>`;
}

function tableOf(study: Study, mask: Uint8Array) {
  const columns = [...study.parameters(), ...(study.column("value") ? [study.column("value")!] : [])];
  const rows = [];
  const ids = study.trials();
  for (let i = 0; i < mask.length; i++)
    if (mask[i]) rows.push([ids[i], ...columns.map((c) => cell(c, i))]);
  return { head: ["trial", ...columns.map((c) => (c.name === "value" ? study.about?.metric ?? "value" : c.name))], rows };
}

/** What a brush keeps, in words. */
function said(b: Brush): string {
  if (b.texts) return `${b.name} ${b.texts.join(" or ") || "nothing"}`;
  const ends = [b.low > -Infinity && `from ${number(b.low)}`, b.high < Infinity && `to ${number(b.high)}`];
  return [b.name, ...ends.filter(Boolean)].join(" ");
}

/** The parts of an axis that a brush covers: of texts, a part each. */
function covered(s: Scale, b: Brush): [number, number][] {
  const within = (p: number) => Math.min(Math.max(p, 0), 1);
  if (!s.texts) return [[within(b.low > -Infinity ? part(s, b.low) : 0), within(b.high < Infinity ? part(s, b.high) : 1)]];
  return (b.texts ?? []).map((t) => s.texts!.indexOf(t)).filter((i) => i >= 0).map((i) => [i / s.texts!.length, (i + 1) / s.texts!.length]);
}

function drawAxis(d: Drawing, a: Axis, x: number, h: number, i: number, count: number, brush?: Brush) {
  const { ctx } = d;
  ctx.strokeStyle = d.ink;
  ctx.lineWidth = 1;
  ctx.globalAlpha = 0.7;
  ctx.beginPath();
  ctx.moveTo(x + 0.5, TOP);
  ctx.lineTo(x + 0.5, TOP + h);
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.fillStyle = d.ink;
  ctx.textAlign = i === count - 1 ? "right" : i === 0 ? "left" : "center";
  ctx.textBaseline = "alphabetic";
  const room = Math.floor((d.width / Math.max(count, 1)) / 7), last = i === count - 1;
  const name = a.name.length > room ? "…" + a.name.slice(-(room - 1)) : a.name;
  ctx.fillText(name + (a.scale.log ? " (log)" : ""), x + (i === 0 ? -SIDE + 4 : i === count - 1 ? SIDE - 4 : 0), 14);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const t of ticks(a.scale, 6)) {
    const y = TOP + h - part(a.scale, t.at) * h;
    if (y >= TOP - 1 && y <= TOP + h + 1) label(d, short(t.text, last ? 6 : Math.max(room - 2, 8)), x + 5, y);
  }
  if (brush) {
    ctx.fillStyle = d.accent;
    ctx.globalAlpha = 0.35;
    for (const [low, high] of covered(a.scale, brush)) ctx.fillRect(x - 7, TOP + h - high * h, 14, Math.max((high - low) * h, 1));
    ctx.globalAlpha = 1;
  }
}
