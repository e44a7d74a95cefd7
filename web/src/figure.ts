// A picture with all that belongs to one: a title, what it says in words, its numbers as a table, copies.
import { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html";
import { say } from "./say";
import { SvgContext } from "./svg";

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
    if (width && canvas.current) paint(canvas.current, width, p.height, p.draw);
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
        command=${p.command} canvas=${() => canvas.current} size=${{ width, height: p.height }} draw=${p.draw} /></figcaption>
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

interface ToolsOf {
  title: string;
  table: () => TableOf;
  open: boolean;
  setOpen: (open: boolean) => void;
  canvas: () => HTMLCanvasElement | null | undefined;
  size: { width: number; height: number };
  draw: (d: Drawing) => void;
  command?: string;
}

/** What every picture can be taken along as. */
export function Tools(p: ToolsOf) {
  return html`<span class="tools">
    <button type="button" aria-pressed=${p.open} onClick=${() => p.setOpen(!p.open)}>Table</button>
    <button type="button" title="Copy the numbers as CSV" onClick=${() => copy(asCsv(p.table()), "the numbers")}>Copy</button>
    <button type="button" onClick=${() => p.canvas()?.toBlob((b) => b && save(b, p.title, "png"))}>PNG</button>
    <button type="button" onClick=${() => saveSvg(p)}>SVG</button>
    ${p.command && html`<button type="button" title=${p.command} onClick=${() => copy(p.command!, `“${p.command}”`)}>Command</button>`}</span>`;
}

async function saveSvg({ title, size, draw }: ToolsOf) {
  const inks = colors(), svg = new SvgContext(size.width, size.height, inks.back);
  svg.font = fontOf();
  draw({ ctx: svg as unknown as CanvasRenderingContext2D, ...size, ...inks });
  save(new Blob([await svg.finished()], { type: "image/svg+xml" }), title, "svg");
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

function paint(canvas: HTMLCanvasElement, width: number, height: number, draw: (d: Drawing) => void) {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
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

function save(blob: Blob, title: string, ending: string) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${ending}`;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
