// What every picture can be taken along as: numbers, a picture, the command that draws it.
import { colors, Drawing, fontOf, paint, TableOf } from "./figure";
import { html } from "./html";
import { Menu } from "./menu";
import { say } from "./say";
import { SvgContext } from "./svg";

interface ToolsOf {
  title: string;
  table: () => TableOf;
  open: boolean;
  setOpen: (open: boolean) => void;
  size: { width: number; height: number };
  draw: (d: Drawing) => void;
  command?: string;
}

const SHARP = 2; // dots of a picture for each of the screen's

export function Tools(p: ToolsOf) {
  const png = () => pngOf(p), svg = () => svgOf(p), csv = () => Promise.resolve(csvOf(p.table()));
  return html`<span class="tools">
    <button type="button" aria-pressed=${p.open} onClick=${() => p.setOpen(!p.open)}>Table</button>
    <${Menu} title="Copy" of=${p.title} choices=${[
      { name: "Numbers (CSV)", act: () => copy(asCsv(p.table()), "the numbers") },
      { name: "Picture (PNG)", act: () => copyPicture(png, "image/png") },
      { name: "Picture (SVG)", act: () => copyPicture(svg, "image/svg+xml") },
      ...(p.command ? [{ name: "Command that draws it", hint: p.command, act: () => copy(p.command!, `“${p.command}”`) }] : []),
    ]} />
    <${Menu} title="Save" of=${p.title} choices=${[
      { name: "Numbers (CSV)", act: async () => save(await csv(), p.title, "csv") },
      { name: "Picture (PNG)", act: async () => save(await png(), p.title, "png") },
      { name: "Picture (SVG)", act: async () => save(await svg(), p.title, "svg") },
    ]} /></span>`;
}

async function pngOf({ size, draw }: ToolsOf): Promise<Blob> {
  const canvas = document.createElement("canvas");
  paint(canvas, size.width, size.height, SHARP, draw);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("the picture is too large")))));
}

async function svgOf({ size, draw }: ToolsOf): Promise<Blob> {
  const inks = colors(), svg = new SvgContext(size.width, size.height, inks.back);
  svg.font = fontOf();
  draw({ ctx: svg as unknown as CanvasRenderingContext2D, ...size, ...inks });
  return new Blob([await svg.finished()], { type: "image/svg+xml" });
}

function csvOf(table: TableOf): Blob {
  return new Blob([asCsv(table)], { type: "text/csv" });
}

export function asCsv(t: TableOf): string {
  const quote = (c: string | number | undefined) => {
    const text = c === undefined ? "" : String(c);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [t.head, ...t.rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
}

/** As pages did before there was a clipboard: the only way where the address is neither https nor of this machine. */
function copyOldWay(text: string): boolean {
  const box = document.createElement("textarea"), before = document.activeElement as HTMLElement | null;
  box.value = text;
  (before?.closest("dialog") ?? document.body).append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  before?.focus();
  return done;
}

export async function copy(text: string, what: string) {
  const done = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(() => true, () => copyOldWay(text));
  say(done ? `Copied ${what}.` : `The browser does not let this page copy ${what}.`);
}

/** Programs take a picture as PNG; one of letters, where the browser has no other way, as its text. */
async function copyPicture(make: () => Promise<Blob>, type: string) {
  const takes = typeof ClipboardItem !== "undefined" && (type === "image/png" || ClipboardItem.supports?.(type));
  try {
    if (!takes && type === "image/svg+xml") return await copy(await (await make()).text(), "the picture, as the text of an SVG file");
    // The browser waits for what is still being made: what was clicked may be forgotten until then.
    await navigator.clipboard.write([new ClipboardItem({ [type]: make() })]);
    say("Copied the picture.");
  } catch {
    say("The browser does not let this page copy pictures; Save writes it into a file.");
  }
}

function save(blob: Blob, title: string, ending: string) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${ending}`;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
