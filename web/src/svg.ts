// A picture as SVG: what the page draws on a canvas, written down instead. It has as much of a canvas's context as the
// page's pictures use; what they do not use is not there.

type Paint = string | CanvasGradient | CanvasPattern;

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
const short = (n: number) => String(Math.round(n * 100) / 100);

interface State {
  fillStyle: Paint;
  strokeStyle: Paint;
  lineWidth: number;
  globalAlpha: number;
  dash: number[];
  clip: string;
}

export class SvgContext {
  fillStyle: Paint = "#000";
  strokeStyle: Paint = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private parts: (string | Promise<string>)[] = [];
  private path = "";
  private dash: number[] = [];
  private clipping = "";
  private clips = 0;
  private kept: State[] = [];

  constructor(readonly width: number, readonly height: number, readonly back: string) {}

  beginPath() {
    this.path = "";
  }
  moveTo(x: number, y: number) {
    this.path += `M${short(x)} ${short(y)}`;
  }
  lineTo(x: number, y: number) {
    this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`;
  }
  closePath() {
    this.path += "Z";
  }
  rect(x: number, y: number, w: number, h: number) {
    this.path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`;
  }
  /** Whole circles only. */
  arc(x: number, y: number, r: number) {
    this.path += `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
  stroke() {
    this.add(`<path d="${this.path}" fill="none" ${this.stroked()}/>`);
  }
  fill() {
    this.add(`<path d="${this.path}" fill="${this.fillStyle}"/>`);
  }
  fillRect(x: number, y: number, w: number, h: number) {
    this.add(`<rect x="${short(x)}" y="${short(y)}" width="${short(Math.max(w, 0))}" height="${short(Math.max(h, 0))}" fill="${this.fillStyle}"/>`);
  }
  fillText(text: string, x: number, y: number) {
    this.add(this.text(text, x, y, `fill="${this.fillStyle}"`));
  }
  strokeText(text: string, x: number, y: number) {
    this.add(this.text(text, x, y, `fill="none" stroke-linejoin="round" ${this.stroked()}`));
  }
  setLineDash(dash: number[]) {
    this.dash = dash;
  }
  clip() {
    const name = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.path}"/></clipPath>`);
    this.clipping = ` clip-path="url(#${name})"`;
  }
  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, dash, clipping: clip } = this;
    this.kept.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, dash, clip });
  }
  restore() {
    const s = this.kept.pop();
    if (!s) return;
    const { clip, dash, ...rest } = s;
    Object.assign(this, rest);
    this.dash = dash;
    this.clipping = clip;
  }
  /** Densities are dots, and stay dots. */
  drawImage(layer: OffscreenCanvas, x: number, y: number, w = layer.width, h = layer.height) {
    const frame = `x="${x}" y="${y}" width="${w}" height="${h}" image-rendering="pixelated"${this.look()}`;
    this.parts.push(dataUrl(layer).then((url) => `<image ${frame} href="${url}"/>`));
  }

  async finished(): Promise<string> {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">` +
      `<rect width="100%" height="100%" fill="${this.back}"/>${(await Promise.all(this.parts)).join("\n")}</svg>\n`;
  }

  private look(): string {
    return (this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "") + this.clipping;
  }
  private add(part: string) {
    const look = this.look();
    this.parts.push(look ? `<g${look}>${part}</g>` : part);
  }
  private stroked(): string {
    return `stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : ""}`;
  }
  private text(text: string, x: number, y: number, paint: string): string {
    const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign as string] ?? "start";
    const line = { top: "hanging", middle: "central", bottom: "text-after-edge" }[this.textBaseline as string] ?? "auto";
    const [, size, family] = this.font.match(/(\d+)px (.*)/) ?? [, "12", "sans-serif"];
    return `<text x="${short(x)}" y="${short(y)}" font-size="${size}" font-family="${escaped(family!)}" text-anchor="${anchor}" dominant-baseline="${line}" ${paint}>${escaped(text)}</text>`;
  }
}

async function dataUrl(layer: OffscreenCanvas): Promise<string> {
  const bytes = new Uint8Array(await (await layer.convertToBlob()).arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return `data:image/png;base64,${btoa(text)}`;
}
