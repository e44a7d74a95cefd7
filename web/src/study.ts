// One study as the page has it: its columns, kept up to date, and the mask that all views share.
import { useEffect, useState } from "preact/hooks";
import { getBytes, getJson, listen, Refused } from "./api";
import { Column, Columns, find, merge, readColumns } from "./columns";
import { bad } from "./colors";
import { Brush, brushFilter, keep } from "./brush";

export interface About {
  study: string;
  metric: string | null;
  goal: string;
  objectives: { name: string; goal: string }[];
  /** A rank is more than one number: there are several objectives, or bounds. */
  fronts: boolean;
  metrics: string[];
  parameters: string[];
  space: { parameters: { name: string; distribution: string }[] } | null;
  resume: string;
  control: boolean;
  /** It has stages, and no trials of its own. */
  campaign: boolean;
}

export interface Standing {
  made: number;
  revision: number;
  rows: number;
  running: boolean;
  finished: number;
  total: number | null;
  rate: number | null;
  left: number | null;
  best: { id: number; value: number } | null;
  states: Record<string, number>;
  /** It is a copy of then. */
  as_of?: number;
}

/** A trial as `rank` has it where there are fronts. */
export interface Ranked {
  id: number;
  values: (number | null)[];
  /** 1 is the Pareto set; null: it breaks a bound. */
  front: number | null;
}

export type Link = "waiting" | "live" | "lost";

const RETRY_MS = 2000;
const GATHER_MS = 250;
const RANK_MS = 2000;
const SETTLE_MS = 300;
const RANKED = 1000;

export class Study {
  about?: About;
  columns?: Columns;
  standing?: Standing;
  link: Link = "waiting";
  fault = "";
  heard = 0;
  /** Which rows the filter has; undefined: all. */
  filter?: Uint8Array;
  filterFault = "";
  filterText = "";
  brushes: Brush[] = [];
  version = 0;
  /** The best of the filter, where there are fronts; else undefined. */
  ranked?: Ranked[];

  private rankedAt = 0;
  private masked?: { version: number; mask: Uint8Array };
  private kept?: { version: number; mask?: Uint8Array };
  private readers = new Set<() => void>();
  private stop = new AbortController();
  private behind = false;
  private reading = false;
  private settling = 0;

  constructor(readonly name: string) {
    this.begin();
  }

  path(rest: string): string {
    return `studies/${encodeURIComponent(this.name)}${rest ? "/" + rest : ""}`;
  }

  close() {
    clearTimeout(this.settling);
    this.stop.abort();
    this.readers.clear();
  }

  subscribe(read: () => void): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }

  changed() {
    this.version++;
    for (const read of this.readers) read();
  }

  private async begin() {
    try {
      const [about, bytes] = await Promise.all([
        getJson<About>(this.path("about")),
        getBytes(this.path("columns")),
      ]);
      this.about = about;
      this.columns = readColumns(bytes);
      await this.match(this.filterText);
      await this.rank();
    } catch (e) {
      this.fault = (e as Error).message;
    }
    this.changed();
    this.follow();
  }

  private async follow() {
    while (!this.stop.signal.aborted) {
      try {
        const since = this.columns ? `${this.columns.made}-${this.columns.revision}` : "";
        await listen(this.path("events"), since, (e) => this.hear(e.kind, e.data), this.stop.signal);
      } catch (e) {
        if (e instanceof Refused && e.status === 401)
          this.fault = "The server was started anew and has another address: open the one that it printed.";
      }
      if (this.stop.signal.aborted) return;
      this.link = "lost";
      this.changed();
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  private hear(kind: string, data: string) {
    if (kind === "gone") {
      this.fault = `The study ${this.name} was removed; what is shown is what was last seen of it.`;
      this.changed();
      return;
    }
    this.standing = JSON.parse(data);
    this.link = "live";
    this.heard = Date.now();
    this.fault = "";
    const all = this.columns;
    const s = this.standing!;
    if (kind === "reset" && all && s.made === all.made && s.revision === all.revision) {
      this.changed();
    } else if (!all || s.made !== all.made || s.revision !== all.revision) {
      this.behind = true;
      this.catchUp();
    } else {
      this.changed();
    }
  }

  /** Many changes are read together. */
  private async catchUp() {
    if (this.reading) return;
    this.reading = true;
    while (this.behind && !this.stop.signal.aborted) {
      this.behind = false;
      try {
        await this.readChanges();
      } catch (e) {
        this.fault = (e as Error).message;
      }
      this.changed();
      await new Promise((done) => setTimeout(done, GATHER_MS));
    }
    this.reading = false;
  }

  private async readChanges() {
    const all = this.columns;
    const asked = all ? { made: all.made, since: all.revision } : {};
    const part = readColumns(await getBytes(this.path("columns"), asked));
    if (!all || !merge(all, part)) this.columns = part.places ? readColumns(await getBytes(this.path("columns"))) : part;
    if (!this.about?.metrics.length) this.about = await getJson<About>(this.path("about"));
    await this.match(this.filterText);
    if (!this.standing?.running || Date.now() - this.rankedAt > RANK_MS) await this.rank();
  }

  /** Of a filter that is none there is no rank: what it had before stays, as the rows do. */
  private async rank() {
    if (!this.about?.fronts || this.filterFault) return;
    this.rankedAt = Date.now();
    this.ranked = (await getJson<{ trials: Ranked[] }>(this.path("rank"), { where: this.wholeFilter(), limit: RANKED, front: true })).trials;
  }

  private async rankAnew() {
    if (!this.about?.fronts || this.stop.signal.aborted) return;
    await this.rank().catch((e) => (this.fault = e.message));
    this.changed();
  }

  /** Asks which rows a filter has; what is wrong with it is kept in filterFault. */
  async match(where: string) {
    this.filterText = where;
    if (!where) {
      this.filter = undefined;
      this.filterFault = "";
      return;
    }
    try {
      const bytes = await getBytes(this.path("match"), { where });
      if (this.filterText !== where) return;
      this.filter = bits(bytes);
      this.filterFault = "";
    } catch (e) {
      this.filterFault = (e as Error).message;
    }
  }

  async setFilter(where: string) {
    if (where === this.filterText) return;
    await this.match(where);
    if (this.about?.fronts) await this.rankAnew();
    else this.changed();
  }

  setBrushes(brushes: Brush[]) {
    this.brushes = brushes;
    this.changed();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.rankAnew(), SETTLE_MS);
  }

  /** The filter that keeps what filter and brushes keep together. */
  wholeFilter(): string {
    const tests = this.brushes.filter((b) => this.axis(b.name).length).map((b) => brushFilter(b, this.isMetric(b.name)));
    const own = tests.length && /\bor\b|\|\|/.test(this.filterText) ? `(${this.filterText})` : this.filterText;
    return [own, ...tests].filter(Boolean).join(" and ");
  }

  /** Which rows the brushes have; undefined: all. */
  get brushed(): Uint8Array | undefined {
    if (this.kept?.version !== this.version) this.kept = { version: this.version, mask: this.brushMask() };
    return this.kept.mask;
  }

  private brushMask(): Uint8Array | undefined {
    const known = this.brushes.flatMap((brush) => this.axis(brush.name).map((column) => ({ brush, column })));
    if (!known.length) return undefined;
    const mask = new Uint8Array(this.columns!.rows).fill(1);
    for (const { brush, column } of known) keep(mask, column, brush);
    return mask;
  }

  /** The column of an axis: a parameter, or what is aimed at. None: the study has no such. */
  axis(name: string): Column[] {
    const own = this.columns?.list.find((c) => c.name === name && c.source === "parameter");
    const column = own ?? (this.isMetric(name) ? this.column("value") : undefined);
    return column ? [column] : [];
  }

  isMetric(name: string): boolean {
    return name === (this.about?.metric ?? "value");
  }

  /** The rows that all views show: filter and brushes together. */
  mask(): Uint8Array {
    if (this.masked?.version === this.version) return this.masked.mask;
    const rows = this.columns?.rows ?? 0;
    const mask = new Uint8Array(rows), { filter, brushed } = this;
    for (let i = 0; i < rows; i++) mask[i] = (!filter || filter[i]) && (!brushed || brushed[i]) ? 1 : 0;
    this.masked = { version: this.version, mask };
    return mask;
  }

  column(name: string): Column | undefined {
    return this.columns && find(this.columns, name);
  }

  trials(): ArrayLike<number> {
    return this.column("trial")?.numbers ?? [];
  }

  rowOf(trial: number): number {
    const ids = this.trials();
    let low = 0, high = ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ids[middle] < trial) low = middle + 1;
      else high = middle;
    }
    return ids[low] === trial ? low : -1;
  }

  failures(): number {
    return bad.reduce((n, s) => n + (this.standing?.states[s] ?? 0), 0);
  }

  minimizes(): boolean {
    return this.about?.goal !== "maximize";
  }

  /** Parameters in the file's order, then any others that trials have. */
  parameters(): Column[] {
    const list = this.columns?.list.filter((c) => c.source === "parameter") ?? [];
    const order = this.about?.parameters ?? [];
    const place = (c: Column) => {
      const at = order.indexOf(c.name);
      return at < 0 ? order.length : at;
    };
    return [...list].sort((a, b) => place(a) - place(b));
  }

  isLog(parameter: string): boolean {
    const p = this.about?.space?.parameters.find((q) => q.name === parameter);
    return !!p && /log/.test(p.distribution);
  }
}

function bits(bytes: ArrayBuffer): Uint8Array {
  const head = new Uint32Array(bytes, 0, 4), data = new Uint8Array(bytes, 16);
  const mask = new Uint8Array(head[2]);
  for (let i = 0; i < mask.length; i++) mask[i] = (data[i >> 3] >> (i & 7)) & 1;
  return mask;
}

/** Renders again whenever the study changes. */
export function useStudy(study: Study): number {
  const [version, set] = useState(study.version);
  useEffect(() => {
    set(study.version); // what changed before anybody listened
    return study.subscribe(() => set(study.version));
  }, [study]);
  return version;
}

/** Asks the server again when what it depends on has changed, and keeps the last answer meanwhile. */
export function useAnswer<T>(ask: () => Promise<T>, deps: unknown[]): { answer?: T; fault: string } {
  const [state, set] = useState<{ answer?: T; fault: string }>({ fault: "" });
  useEffect(() => {
    let current = true;
    ask().then(
      (answer) => current && set({ answer, fault: "" }),
      (e) => current && set((s) => ({ answer: s.answer, fault: e.message })),
    );
    return () => {
      current = false;
    };
  }, deps);
  return state;
}
