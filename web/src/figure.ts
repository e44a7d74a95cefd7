// A picture with all that belongs to one: a title, what it says in words, its numbers as a table, copies.
import { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html";
import { say } from "./say";

export interface TableOf {
  head: string[];
  rows: (string | number | undefined)[][];
  /** What was left out, in words. */
  note?: string;
}

export interface Drawing {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  ink: string;
  faint: string;
  back: string;
  accent: string;
}

interface Props {
  title: string;
  /** What a person who does not see it is told. */
  words: string;
  height: number;
  draw: (d: Drawing) => void;
  /** Drawn again when one of these changes. */
  deps: unknown[];
  table: () => TableOf;
  pointer?: (kind: "down" | "move" | "up" | "leave", x: number, y: number, width: number) => void;
  children?: ComponentChildren;
  note?: string;
  id?: string;
}

const TABLE_ROWS = 200;

export function Figure(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const watch = new ResizeObserver(([e]) => setWidth(Math.floor(e.contentRect.width)));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (width && canvas.current) paint(canvas.current, width, p.height, p.draw);
  }, [width, p.height, open, useScheme(), ...p.deps]);
  const point = (kind: "down" | "move" | "up" | "leave") => (e: PointerEvent) => {
    if (!p.pointer) return;
    if (kind === "down") (e.target as Element).setPointerCapture(e.pointerId);
    const r = canvas.current!.getBoundingClientRect();
    p.pointer(kind, e.clientX - r.left, e.clientY - r.top, width);
  };
  return html`<figure class="figure" data-figure=${p.id ?? p.title}>
    <figcaption><h3>${p.title}</h3><span class="note">${p.note}</span>
      <span class="tools">
        <button type="button" aria-pressed=${open} onClick=${() => setOpen(!open)}>Table</button>
        <button type="button" onClick=${() => copy(asCsv(p.table()), "the numbers")}>Copy numbers</button>
        <button type="button" onClick=${() => savePicture(canvas.current, p.title)}>PNG</button>
      </span></figcaption>
    ${p.children}
    <div ref=${box}>
      <canvas ref=${canvas} role="img" aria-label=${`${p.title}. ${p.words}`} hidden=${open}
        onPointerDown=${point("down")} onPointerMove=${point("move")} onPointerUp=${point("up")}
        onPointerLeave=${point("leave")}></canvas>
      ${open && html`<${Numbers} table=${p.table()} title=${p.title} />`}
    </div>
  </figure>`;
}

export function Numbers({ table, title }: { table: TableOf; title: string }) {
  const shown = table.rows.slice(0, TABLE_ROWS);
  return html`<div class="numbers" tabindex="0" role="region" aria-label=${`Numbers of ${title}`}><table>
    <thead><tr>${table.head.map((h) => html`<th scope="col">${h}</th>`)}</tr></thead>
    <tbody>${shown.map((row) => html`<tr>${row.map((c) => html`<td>${c ?? ""}</td>`)}</tr>`)}</tbody>
  </table>
  ${(table.rows.length > TABLE_ROWS || table.note) && html`<p class="note">
    ${table.rows.length > TABLE_ROWS && `The first ${TABLE_ROWS} of ${table.rows.length} rows; Copy numbers has all. `}${table.note}</p>`}
  </div>`;
}

function useScheme(): string {
  const [scheme, set] = useState(document.documentElement.dataset.scheme ?? "");
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => set((document.documentElement.dataset.scheme ?? "") + media.matches);
    media.addEventListener("change", changed);
    addEventListener("scheme", changed);
    return () => {
      media.removeEventListener("change", changed);
      removeEventListener("scheme", changed);
    };
  }, []);
  return scheme;
}

function paint(canvas: HTMLCanvasElement, width: number, height: number, draw: (d: Drawing) => void) {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  ctx.font = `12px ${style.getPropertyValue("--font")}`;
  draw({
    ctx, width, height,
    ink: color("--ink"), faint: color("--faint"), back: color("--back"), accent: color("--accent"),
  });
}

export function asCsv(t: TableOf): string {
  const quote = (c: string | number | undefined) => {
    const text = c === undefined ? "" : String(c);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [t.head, ...t.rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
}

export async function copy(text: string, what: string) {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
  } catch {
    say(`The browser does not let this page copy ${what}.`);
  }
}

function savePicture(canvas: HTMLCanvasElement | null, title: string) {
  canvas?.toBlob((blob) => {
    if (!blob) return;
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = title.toLowerCase().replace(/[^a-z0-9]+/g, "-") + ".png";
    a.click();
    URL.revokeObjectURL(a.href);
  });
}
