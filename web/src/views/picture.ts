// One picture that a trial logged, with the masks and boxes that belong to it.
import { useEffect, useRef, useState } from "preact/hooks";
import { getBlob, getText } from "../api";
import { categories } from "../colors";
import { rgb } from "../density";
import { html } from "../html";
import { Overlay, pathOf, Said } from "../logged";
import { Study } from "../study";

interface Box {
  position: { minX: number; maxX: number; minY: number; maxY: number } | { middle: [number, number]; width: number; height: number };
  domain?: string;
  class_id?: number;
  box_caption?: string;
}

/** A layer over the picture, and what it says in words. */
interface Layer {
  name: string;
  words: string;
  classes: { id: number; name: string; more: string }[];
  /** Of a picture that is shown `by` times as large. */
  draw: (ctx: CanvasRenderingContext2D, width: number, height: number, by: number) => void;
}

const colorOf = (id: number) => categories[(id - 1 + categories.length) % categories.length];
const nameOf = (o: Overlay, id: number) => o.class_labels?.[String(id)] ?? `class ${id}`;

async function bitmap(study: Study, trial: number, path: string): Promise<ImageBitmap> {
  return createImageBitmap(await getBlob(study.path(`trials/${trial}/file`), { path }));
}

/** Class 0 is what is left: it stays clear. */
async function maskLayer(study: Study, trial: number, name: string, o: Overlay): Promise<Layer> {
  const image = await bitmap(study, trial, pathOf(o));
  const layer = new OffscreenCanvas(image.width, image.height), ctx = layer.getContext("2d")!;
  ctx.drawImage(image, 0, 0);
  const pixels = ctx.getImageData(0, 0, image.width, image.height), counts = new Map<number, number>();
  for (let i = 0; i < pixels.data.length; i += 4) {
    const id = pixels.data[i], [r, g, b] = rgb(colorOf(id));
    counts.set(id, (counts.get(id) ?? 0) + 1);
    pixels.data.set([r, g, b, id ? 140 : 0], i);
  }
  ctx.putImageData(pixels, 0, 0);
  const share = (n: number) => `${Number(((400 * n) / pixels.data.length).toPrecision(3))} %`;
  const classes = [...counts].filter(([id]) => id).sort((a, b) => a[0] - b[0])
    .map(([id, n]) => ({ id, name: nameOf(o, id), more: share(n) }));
  return {
    name: `mask ${name}`, classes,
    words: classes.map((c) => `${c.name} ${c.more}`).join(", ") || "no class anywhere",
    draw: (to, width, height) => to.drawImage(layer, 0, 0, width, height),
  };
}

/** Corners as parts of the picture, or in its pixels. */
function corners(b: Box, width: number, height: number): [number, number, number, number] {
  const p = b.position;
  const [x0, y0, x1, y1] = "middle" in p
    ? [p.middle[0] - p.width / 2, p.middle[1] - p.height / 2, p.middle[0] + p.width / 2, p.middle[1] + p.height / 2]
    : [p.minX, p.minY, p.maxX, p.maxY];
  const [sx, sy] = b.domain === "pixel" ? [1, 1] : [width, height];
  return [x0 * sx, y0 * sy, (x1 - x0) * sx, (y1 - y0) * sy];
}

async function boxLayer(study: Study, trial: number, name: string, o: Overlay): Promise<Layer> {
  const data = JSON.parse(await getText(study.path(`trials/${trial}/file`), { path: pathOf(o) }));
  const boxes: Box[] = data.box_data;
  const says = (b: Box) => b.box_caption || nameOf(o, b.class_id ?? 0);
  const classes = [...new Set(boxes.map((b) => b.class_id ?? 0))].map((id) => ({ id, name: nameOf(o, id),
    more: String(boxes.filter((b) => (b.class_id ?? 0) === id).length) }));
  return {
    name: `boxes ${name}`, classes, words: boxes.map(says).join(", ") || "none",
    draw: (ctx, width, height, by) => {
      const pixel = Math.max(1, Math.max(width * by, height * by) / 480) / by;
      ctx.font = `${12 * pixel}px sans-serif`;
      ctx.textBaseline = "top";
      for (const b of boxes) {
        const [x, y, w, h] = corners(b, width, height);
        ctx.strokeStyle = colorOf(b.class_id ?? 0);
        ctx.lineWidth = 2 * pixel;
        ctx.strokeRect(x, y, w, h);
        ctx.strokeStyle = "#ffffff";
        ctx.lineWidth = 3 * pixel;
        ctx.fillStyle = "#000000";
        ctx.strokeText(says(b), x + 3 * pixel, y + 3 * pixel);
        ctx.fillText(says(b), x + 3 * pixel, y + 3 * pixel);
      }
    },
  };
}

function layersOf(study: Study, trial: number, said: Said): Promise<Layer>[] {
  const entries = (all?: Record<string, Overlay>) => Object.entries(all ?? {});
  return [
    ...entries(said.masks).map(([name, o]) => maskLayer(study, trial, name, o)),
    ...entries(said.boxes).map(([name, o]) => boxLayer(study, trial, name, o)),
  ];
}

/** Small pictures are enlarged by whole numbers, and lines over them are fine. */
const scaleOf = (image: ImageBitmap) => Math.max(1, Math.floor(240 / Math.max(image.width, image.height)));

export function Picture({ study, trial, said, name }: { study: Study; trial: number; said: Said; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [image, setImage] = useState<ImageBitmap>();
  const [layers, setLayers] = useState<Layer[]>([]);
  const [off, setOff] = useState<string[]>([]);
  const [fault, setFault] = useState("");
  useEffect(() => {
    let current = true;
    Promise.all([bitmap(study, trial, pathOf(said)), Promise.all(layersOf(study, trial, said))]).then(
      ([b, l]) => current && (setImage(b), setLayers(l), setFault("")),
      (e) => current && setFault(e.message),
    );
    return () => {
      current = false;
    };
  }, [trial, said.path]);
  useEffect(() => {
    if (!image || !canvas.current) return;
    const by = scaleOf(image), [width, height] = [image.width * by, image.height * by];
    Object.assign(canvas.current, { width, height });
    const ctx = canvas.current.getContext("2d")!;
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(image, 0, 0, width, height);
    ctx.scale(by, by);
    for (const l of layers) if (!off.includes(l.name)) l.draw(ctx, image.width, image.height, by);
  }, [image, layers, off]);
  if (said.error || fault) return html`<p class="fault">${said.error ?? fault}</p>`;
  const words = layers.map((l) => `${l.name}: ${l.words}`).join("; ");
  return html`<div class="picture"><canvas ref=${canvas} role="img"
      aria-label=${`The picture ${name} of trial ${trial}${said.caption ? `, ${said.caption}` : ""}. ${words}`}></canvas>
    ${said.caption && html`<p>${said.caption}</p>`}
    ${layers.map((l) => html`<p class="layer"><label><input type="checkbox" checked=${!off.includes(l.name)}
      onChange=${() => setOff(off.includes(l.name) ? off.filter((n) => n !== l.name) : [...off, l.name])} /> ${l.name}</label>
      ${l.classes.map((c) => html`<span><i style=${{ color: colorOf(c.id) }} aria-hidden="true">■</i> ${c.name} ${c.more}</span>`)}</p>`)}</div>`;
}
