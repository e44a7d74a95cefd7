// Very many marks: how many fall on each dot of the picture, as brightness.
import { Drawing } from "./figure";

/** Beyond so many, marks are drawn as density. */
export const MARKS_MAX = 2000;

export class Density {
  readonly counts: Uint32Array;
  /** In dots of so many pixels. */
  constructor(readonly width: number, readonly height: number, readonly dot = 1) {
    this.counts = new Uint32Array(width * height);
  }

  add(x: number, y: number, n = 1) {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.counts[y * this.width + x] += n;
  }

  /** A line of n trials from one side to the other. */
  line(x0: number, y0: number, x1: number, y1: number, n: number) {
    const steps = Math.max(x1 - x0, 1), slope = (y1 - y0) / steps;
    for (let i = 0; i < steps; i++) {
      const y = (y0 + slope * i) | 0;
      if (y >= 0 && y < this.height) this.counts[y * this.width + x0 + i] += n;
    }
  }

  /** Many are strong, few are faint but seen: brightness grows with the logarithm. */
  paint(d: Drawing, left: number, top: number, [r, g, b]: [number, number, number], least = 40) {
    let most = 0;
    for (const n of this.counts) if (n > most) most = n;
    const image = new ImageData(this.width, this.height);
    const scale = most > 1 ? (255 - least) / Math.log(most) : 0;
    const alpha = new Uint8Array(Math.min(most, 65535) + 1);
    for (let n = 1; n < alpha.length; n++) alpha[n] = least + scale * Math.log(n);
    for (let i = 0; i < this.counts.length; i++) {
      const n = this.counts[i];
      if (!n) continue;
      image.data[4 * i] = r;
      image.data[4 * i + 1] = g;
      image.data[4 * i + 2] = b;
      image.data[4 * i + 3] = n < alpha.length ? alpha[n] : 255;
    }
    const layer = new OffscreenCanvas(this.width, this.height);
    layer.getContext("2d")!.putImageData(image, 0, 0);
    d.ctx.imageSmoothingEnabled = false;
    d.ctx.drawImage(layer, left, top, this.width * this.dot, this.height * this.dot);
  }
}

export function rgb(color: string): [number, number, number] {
  const hex = color.match(/^#(..)(..)(..)$/);
  return hex ? [1, 2, 3].map((i) => parseInt(hex[i], 16)) as [number, number, number] : [0, 114, 178];
}

/** Marks at places below (left, top), in dots that can be seen. */
export function paintMarks(d: Drawing, left: number, top: number, width: number, height: number, color: [number, number, number],
                           places: (add: (x: number, y: number) => void) => void) {
  const dot = 2, density = new Density(Math.ceil(width / dot), Math.ceil(height / dot), dot);
  places((x, y) => density.add(Math.floor((x - left) / dot), Math.floor((y - top) / dot)));
  density.paint(d, left, top, color, 90);
}
