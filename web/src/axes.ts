// The frame of a picture: axes, their numbers, their names.
import { Drawing } from "./figure";
import { number } from "./format";
import { part, Scale, ticks } from "./scale";

export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function area(d: Drawing, left = 56, beside = 22): Area {
  return { left, right: d.width - beside, top: 22, bottom: d.height - 34 };
}

/** Room right of a picture whose colours have their numbers there. */
export const RAMP = 84;

/** What colours mean: a strip from the best, above, to the worst, with the values at equal parts of the order. */
export function ramp(d: Drawing, a: Area, name: string, at: (part: number) => number, color: (part: number) => string) {
  const { ctx } = d, left = a.right + 12, high = a.bottom - a.top, bits = 60;
  for (let i = 0; i < bits; i++) {
    ctx.fillStyle = color((i + 0.5) / bits);
    ctx.fillRect(left, a.top + (i * high) / bits, 12, high / bits + 0.5);
  }
  ctx.fillStyle = d.ink;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  let last = "";
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const text = number(at(part));
    if (text !== last) ctx.fillText(text, left + 17, Math.min(Math.max(a.top + part * high, a.top + 6), a.bottom - 6));
    last = text;
  }
  ctx.textAlign = "right";
  ctx.textBaseline = "top";
  ctx.fillText(short(name), d.width - 2, 2);
}

export const px = (a: Area, s: Scale, v: number) => a.left + part(s, v) * (a.right - a.left);
export const py = (a: Area, s: Scale, v: number) => a.bottom - part(s, v) * (a.bottom - a.top);

/** About as wide as a letter is; what writes SVG cannot measure. */
const LETTER = 6.6;

export function short(text: string, most = 14): string {
  return text.length > most ? text.slice(0, most - 1) + "…" : text;
}

export function axes(d: Drawing, a: Area, x: Scale, y: Scale, xName: string, yName: string) {
  const { ctx } = d;
  ctx.strokeStyle = d.faint;
  ctx.fillStyle = d.ink;
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const t of ticks(y, Math.max(2, Math.floor((a.bottom - a.top) / 44)))) {
    const at = Math.round(py(a, y, t.at)) + 0.5;
    if (at < a.top - 1 || at > a.bottom + 1) continue;
    line(ctx, a.left, at, a.right, at, 0.25);
    ctx.fillText(short(t.text, 10), a.left - 6, at);
  }
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  let end = -Infinity;
  for (const t of ticks(x, Math.max(2, Math.floor((a.right - a.left) / 90)))) {
    const at = Math.round(px(a, x, t.at)) + 0.5;
    if (at < a.left - 1 || at > a.right + 1) continue;
    line(ctx, at, a.bottom, at, a.bottom + 4, 1);
    const text = short(t.text), half = (text.length * LETTER) / 2, middle = Math.min(at, d.width - half);
    if (middle - half < end) continue; // it would touch the one before
    ctx.fillText(text, middle, a.bottom + 6);
    end = middle + half + 4;
  }
  line(ctx, a.left, a.bottom + 0.5, a.right, a.bottom + 0.5, 1);
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  ctx.fillText(xName, a.right, d.height);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(yName, 2, 2);
}

/** Values of equal parts of the axis, as a filled line of steps. */
export function steps(d: Drawing, a: Area, x: Scale, y: Scale, values: number[], width: number) {
  const { ctx } = d, edge = (i: number) => Math.round(px(a, x, Math.min(i * width, x.max)));
  ctx.fillStyle = d.accent;
  ctx.globalAlpha = 0.75;
  values.forEach((v, i) => {
    if (Number.isNaN(v)) return;
    const top = py(a, y, v);
    ctx.fillRect(edge(i), top, edge(i + 1) - edge(i), a.bottom - top);
  });
  ctx.globalAlpha = 1;
}

/** A text that can be read on whatever is below it. */
export function label(d: Drawing, text: string, x: number, y: number) {
  const { ctx } = d;
  ctx.save();
  ctx.lineWidth = 4;
  ctx.strokeStyle = d.back;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = d.ink;
  ctx.fillText(text, x, y);
  ctx.restore();
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, alpha: number) {
  ctx.globalAlpha = alpha;
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
  ctx.globalAlpha = 1;
}
