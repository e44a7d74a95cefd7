// A picture with all that belongs to one: a title, what it says in words, its numbers as a table, copies.
import { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html";
import { Tools } from "./take_along";

export interface TableOf {
  head: string[];
  rows: (string | number | undefined)[][];
  /** What was left out, in words. */
  note?: string;
}

export interface Drawing {
  /** A canvas's, or one that writes SVG. */
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
  /** It is not drawn narrower than so many pixels: in a small window it is scrolled. */
  least?: number;
  draw: (d: Drawing) => void;
  /** Drawn again when one of these changes. */
  deps: unknown[];
  table: () => TableOf;
  /** What lies at a place: its words are shown, and a click does what it says. */
  near?: (x: number, y: number, width: number) => { words: string; open?: () => void } | undefined;
  pointer?: (kind: "down" | "move" | "up" | "leave", x: number, y: number, width: number) => void;
  children?: ComponentChildren;
  note?: string;
  id?: string;
  /** The command that draws it, where there is one. */
  command?: string;
}

const TABLE_ROWS = 200;

export function Figure(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [room, setRoom] = useState(0);
  const width = room && Math.max(room, p.least ?? 0);
  const [open, setOpen] = useState(false);
  const [hint, setHint] = useState<{ words: string; x: number; y: number }>();
  useEffect(() => {
    const watch = new ResizeObserver(([e]) => setRoom(Math.floor(e.contentRect.width)));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!width || !canvas.current) return;
    Object.assign(canvas.current.style, { width: `${width}px`, height: `${p.height}px` });
    paint(canvas.current, width, p.height, devicePixelRatio || 1, p.draw);
  }, [width, p.height, open, useScheme(), ...p.deps]);
  const point = (kind: "down" | "move" | "up" | "leave") => (e: PointerEvent) => {
    const r = canvas.current!.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    if (p.near) {
      const found = kind === "leave" ? undefined : p.near(x, y, width);
      setHint(found && { words: found.words, x, y });
      if (kind === "up") found?.open?.();
    }
    if (!p.pointer) return;
    if (kind === "down") (e.target as Element).setPointerCapture(e.pointerId);
    p.pointer(kind, x, y, width);
  };
  return html`<figure class="figure" data-figure=${p.id ?? p.title}>
    <figcaption><h3>${p.title}</h3><span class="note">${p.note}</span>
      <${Tools} title=${p.title} table=${p.table} open=${open} setOpen=${setOpen}
        command=${p.command} size=${{ width, height: p.height }} draw=${p.draw} /></figcaption>
    ${p.children}
    <div ref=${box} class="drawn" data-scrolls=${width > room} tabindex=${width > room ? 0 : undefined}>
      ${hint && !open && html`<span class="hint" aria-hidden="true" style=${{ left: `${Math.min(hint.x + 12, width - 160)}px`, top: `${hint.y + 14}px` }}>${hint.words}</span>`}
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
    ${table.rows.length > TABLE_ROWS && `The first ${TABLE_ROWS} of ${table.rows.length} rows; Copy takes all. `}${table.note}</p>`}
  </div>`;
}

export function useScheme(): string {
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

/** Draws on a canvas of so many pixels, each of `ratio` dots. */
export function paint(canvas: HTMLCanvasElement, width: number, height: number, ratio: number, draw: (d: Drawing) => void) {
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(ratio, ratio);
  const inks = colors();
  ctx.fillStyle = inks.back; // a copy of it is read elsewhere
  ctx.fillRect(0, 0, width, height);
  ctx.font = fontOf();
  draw({ ctx, width, height, ...inks });
}

export function fontOf(): string {
  return `12px ${getComputedStyle(document.documentElement).getPropertyValue("--font").trim()}`;
}

export function colors(): Pick<Drawing, "ink" | "faint" | "back" | "accent"> {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { ink: color("--ink"), faint: color("--faint"), back: color("--back"), accent: color("--accent") };
}
