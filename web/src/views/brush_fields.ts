// Brushes without a pointer: each axis as fields.
import { Brush } from "../brush";
import { html } from "../html";
import { Scale } from "../scale";

export interface FieldAxis {
  name: string;
  scale: Scale;
}

interface Props {
  axes: FieldAxis[];
  brushes: Brush[];
  /** Undefined: the axis has none any more. */
  set: (name: string, brush?: Brush) => void;
}

const LISTED = 40; // texts of an axis

function Ends({ a, b, set }: { a: FieldAxis; b?: Brush; set: Props["set"] }) {
  const field = (label: string, end: "low" | "high", open: number) => html`<label>${label} <input type="number" step="any"
    value=${b && Number.isFinite(b[end]) ? b[end] : ""} onChange=${(e: Event) => {
      const text = (e.target as HTMLInputElement).value;
      const next = { name: a.name, low: -Infinity, high: Infinity, ...b, [end]: text === "" ? open : Number(text) };
      set(a.name, next.low > -Infinity || next.high < Infinity ? next : undefined);
    }} /></label>`;
  return html`${field("from", "low", -Infinity)}${field("to", "high", Infinity)}`;
}

function Texts({ a, b, set }: { a: FieldAxis; b?: Brush; set: Props["set"] }) {
  const all = a.scale.texts!, kept = b?.texts ?? all;
  const turn = (text: string) => {
    const texts = all.filter((t) => kept.includes(t) !== (t === text));
    set(a.name, texts.length < all.length ? { name: a.name, low: NaN, high: NaN, texts } : undefined);
  };
  return html`${all.slice(0, LISTED).map((t) => html`<label><input type="checkbox" checked=${kept.includes(t)} onChange=${() => turn(t)} /> ${t}</label>`)}
    ${all.length > LISTED && html`<span class="note">and ${all.length - LISTED} more: the filter has them</span>`}`;
}

export function BrushFields({ axes, brushes, set }: Props) {
  return html`<div class="fields">${axes.map((a) => {
    const b = brushes.find((x) => x.name === a.name);
    return html`<fieldset><legend>${a.name}</legend>
      ${a.scale.texts ? html`<${Texts} a=${a} b=${b} set=${set} />` : html`<${Ends} a=${a} b=${b} set=${set} />`}</fieldset>`;
  })}</div>`;
}
