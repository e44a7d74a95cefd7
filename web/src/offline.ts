// A page that was exported: what a server would be asked is answered from what is inside.
import { cell, Columns, find, readColumns } from "./columns";
import { filterOf } from "./filter_language";

interface Inside {
  study: string;
  standing: unknown;
  /** By path, with the metric where there is one. */
  answers: Record<string, unknown>;
  /** By metric: curves of the best trials. */
  curves: Record<string, { trial: number }[]>;
  curve_trials: number;
}

type Parameters = Record<string, unknown>;

export class Offline {
  private constructor(private inside: Inside, private bytes: ArrayBuffer, private columns: Columns) {}

  static async open(element: HTMLElement): Promise<Offline> {
    const [json, columns] = await Promise.all(element.textContent!.trim().split(/\s+/).map(unpack));
    return new Offline(JSON.parse(new TextDecoder().decode(json)), columns, readColumns(columns));
  }

  get study(): string {
    return this.inside.study;
  }

  get standing(): string {
    return JSON.stringify(this.inside.standing);
  }

  json(path: string, p: Parameters = {}): unknown {
    const rest = path.split("/").slice(2).join("/");
    const trial = rest.match(/^trials\/(\d+)(\/.*)?$/);
    if (trial) return this.trial(Number(trial[1]), trial[2] ?? "");
    if (rest === "curves") return this.curves(String(p.metric), String(p.trials));
    if (rest === "compare") return this.compare((p.trials as string[]).map(Number));
    if (rest === "bands" && (p.where || p.by)) throw new Error("An exported page has bands of all trials together only.");
    if (rest === "rank") return { trials: (this.inside.answers.rank as { trials: unknown[] } | undefined)?.trials ?? [] };
    const answer = this.inside.answers[rest === "bands" ? `bands ${p.metric}` : rest || path];
    if (!answer) throw new Error("An exported page does not have this.");
    const fault = (answer as { error?: { text: string } }).error;
    if (fault) throw new Error(fault.text);
    return answer;
  }

  binary(path: string, p: Parameters = {}): ArrayBuffer {
    if (path.endsWith("/columns")) return this.bytes.slice(0);
    const rows = this.matched(String(p.where ?? ""));
    if (path.endsWith("/match")) {
      const bits = new Uint8Array((this.columns.rows + 7) >> 3);
      for (const r of rows) bits[r >> 3] |= 1 << (r & 7);
      return this.framed(rows.length, bits);
    }
    const order = Uint32Array.from(this.sorted(rows, String(p.by ?? ""), !!p.reverse));
    return this.framed(rows.length, new Uint8Array(order.buffer));
  }

  private framed(count: number, data: Uint8Array): ArrayBuffer {
    const all = new Uint8Array(16 + data.length);
    new Uint32Array(all.buffer, 0, 4).set([this.columns.made, this.columns.revision, this.columns.rows, count]);
    all.set(data, 16);
    return all.buffer;
  }

  private matched(where: string): number[] {
    const test = where ? filterOf(where, this.columns) : () => true;
    const list = [];
    for (let i = 0; i < this.columns.rows; i++) if (test(i)) list.push(i);
    return list;
  }

  private sorted(rows: number[], by: string, down: boolean): number[] {
    const column = find(this.columns, by || "trial"), sign = down ? -1 : 1;
    const keys = rows.map((r) => ({ r, v: cell(column, r) }));
    keys.sort((a, b) => {
      if (a.v === undefined || b.v === undefined) return Number(a.v === undefined) - Number(b.v === undefined) || a.r - b.r;
      return (a.v < b.v ? -sign : a.v > b.v ? sign : 0) || a.r - b.r;
    });
    return keys.map((k) => k.r);
  }

  private curves(metric: string, trials: string): unknown {
    const wanted = new Set(trials.split(",").map(Number));
    const list = (this.inside.curves[metric] ?? []).filter((c) => wanted.has(c.trial));
    return { metric, curves: list, cut: list.length < wanted.size };
  }

  private rowOf(trial: number): number {
    const ids = find(this.columns, "trial")!.numbers!;
    return ids.indexOf(trial);
  }

  private values(row: number, source: string): Record<string, unknown> {
    return Object.fromEntries(this.columns.list.filter((c) => c.source === source && cell(c, row) !== undefined).map((c) => [c.name, cell(c, row)]));
  }

  private trial(id: number, rest: string): unknown {
    const row = this.rowOf(id);
    if (row < 0) throw new Error(`There is no trial ${id} in this page.`);
    if (rest === "/files") return { files: [] };
    if (rest) return { trials: [] };
    const own = this.values(row, "trial");
    const metrics = Object.entries(this.values(row, "metric")).map(([k, v]) => [k, { last: v, best: NaN }]);
    return {
      trials: [{
        trial: { id, state: own.state, value: own.value ?? null, params: this.values(row, "parameter"), metrics: Object.fromEntries(metrics),
          started: own.started ?? null, ended: own.ended ?? null, reason: "", tags: own.tags ? String(own.tags).split(", ") : [] },
        attempts: [], folder: "",
      }],
    };
  }

  private compare(trials: number[]): unknown {
    const rows = trials.map((t) => this.rowOf(t));
    const part = (source: string) => Object.fromEntries(this.columns.list.filter((c) => c.source === source)
      .map((c) => [c.name, rows.map((r) => cell(c, r) ?? null)] as const)
      .filter(([, list]) => new Set(list).size > 1));
    return { trials, params: part("parameter"), metrics: part("metric"), trial: {} };
  }
}

async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
