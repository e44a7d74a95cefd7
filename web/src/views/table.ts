// Which ones: all trials, no more of them drawn than are seen. The order is the server's.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { html } from "../html";
import { getBytes, getJson } from "../api";
import { cell, Column, isConstant } from "../columns";
import { states } from "../colors";
import { asCsv, copy } from "../take_along";
import { exactCount, number, seconds, time, value } from "../format";
import { go, Place } from "../place";
import { remember, remembered } from "../remembered";
import { Study, useStudy } from "../study";

const NARROW = 600; // pixels
const ROW = 28, EXTRA = 8, CSV_ROWS = 100_000;

interface Order {
  rows: Uint32Array;
  revision: number;
  key: string;
}

function readOrder(bytes: ArrayBuffer, key: string): Order {
  return { rows: new Uint32Array(bytes, 16), revision: new Uint32Array(bytes, 0, 4)[1], key };
}

/** The columns that are shown: those chosen, else what differs between trials. */
function shownColumns(study: Study, place: Place): Column[] {
  const all = study.columns!.list;
  const named = (name: string) => all.filter((c) => c.name === name && c.name !== "trial" && c.name !== "state");
  if (place.columns.length) return place.columns.flatMap(named);
  const rows = study.columns!.rows;
  return [
    ...named("value"),
    ...study.parameters().filter((c) => rows < 2 || !isConstant(c, rows)),
    ...all.filter((c) => c.source === "metric" && c.name !== study.about?.metric),
    ...["seconds", "tags"].flatMap(named).filter((c) => rows < 2 || !isConstant(c, rows)),
  ];
}

function title(study: Study, c: Column): string {
  return c.name === "value" && c.source === "trial" ? study.about?.metric ?? "value" : c.name;
}

function shown(c: Column, row: number): string {
  const v = cell(c, row);
  if (c.source === "trial" && c.name === "seconds") return seconds(v as number);
  if (c.source === "trial" && (c.name === "started" || c.name === "ended")) return time(v as number);
  return typeof v === "number" ? number(v) : value(v);
}

interface Curves {
  curves: { trial: number; values: (number | string)[] }[];
}

/** A small picture of how a trial's metric went. */
function Spark({ values }: { values?: number[] }) {
  if (!values || values.length < 2) return html`<span class="spark"></span>`;
  const finite = values.filter(Number.isFinite);
  const min = Math.min(...finite), span = Math.max(...finite) - min || 1;
  const points = values.map((v, i) => `${((i * 60) / (values.length - 1)).toFixed(1)},${(18 - (16 * (v - min)) / span).toFixed(1)}`);
  return html`<svg class="spark" width="62" height="20" aria-hidden="true"><polyline points=${points.join(" ")} /></svg>`;
}

function useSparks(study: Study, ids: number[]): Map<number, number[]> {
  const [sparks, set] = useState(new Map<number, number[]>());
  const metric = study.about?.metric;
  const key = ids.join(",");
  useEffect(() => {
    if (!metric || !key) return;
    const timer = setTimeout(() => {
      getJson<Curves>(study.path("curves"), { trials: key, metric, points: 30 }).then(
        (a) => set(new Map(a.curves.map((c) => [c.trial, c.values.map(Number)]))),
        () => {},
      );
    }, 150);
    return () => clearTimeout(timer);
  }, [key, metric, study.columns!.revision]);
  return sparks;
}

export function TableView({ study, place }: { study: Study; place: Place }) {
  useStudy(study);
  const [order, setOrder] = useState<Order>();
  const [fault, setFault] = useState("");
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  // In little room a state is its mark, and numbers come before pictures.
  const [wide, setWide] = useState(true);
  const [cursor, setCursor] = useState(0);
  const [asked, askAgain] = useState(0);
  const body = useRef<HTMLDivElement>(null);
  const revision = study.columns!.revision;
  const key = `${place.where}\n${place.by}\n${place.down}`;
  // Live changes wait for the reader, so that nothing moves under the pointer.
  useEffect(() => {
    getBytes(study.path("order"), { where: place.where, by: place.by, reverse: place.down }).then(
      (b) => {
        setOrder(readOrder(b, key));
        setFault("");
      },
      (e) => setFault(e.message),
    );
  }, [key, study.name, asked]);
  useEffect(() => {
    const watch = new ResizeObserver(([e]) => {
      setRoom(e.contentRect.height);
      setWide(e.contentRect.width >= NARROW);
    });
    if (body.current) watch.observe(body.current);
    return () => watch.disconnect();
  }, []);
  // Where the reader was, when the page was loaded again.
  useEffect(() => {
    const [at, then] = remembered("tab", `scroll ${study.name}`).split(/\n(.*)/s);
    if (order && body.current && then === key) body.current.scrollTop = Number(at);
  }, [!order]);
  const columns = useMemo(() => shownColumns(study, place), [study.columns, revision, place.columns.join("|")]);
  const rows = useMemo(() => {
    if (!order) return new Uint32Array(0);
    const mask = study.brushed;
    const rows = mask ? order.rows.filter((r) => mask[r]) : order.rows;
    if (!place.pinned.length) return rows;
    const first = place.pinned.map((t) => study.rowOf(t)).filter((r) => r >= 0);
    return Uint32Array.from([...first, ...rows.filter((r) => !first.includes(r))]);
  }, [order, study.brushed, place.pinned.join()]);
  const fresh = order ? study.columns!.rows - (place.where ? study.columns!.rows : order.rows.length) : 0;
  const first = Math.max(Math.floor(top / ROW) - EXTRA, 0);
  const last = Math.min(first + Math.ceil(room / ROW) + 2 * EXTRA, rows.length);
  const ids = study.trials();
  const seen: number[] = [];
  for (let i = first; i < last; i++) seen.push(rows[i]);
  const sparks = useSparks(study, seen.map((r) => ids[r]));
  const sort = (name: string) => go({ by: name, down: place.by === name && !place.down }, true);
  const choose = (trial: number) =>
    go({ chosen: place.chosen.includes(trial) ? place.chosen.filter((t) => t !== trial) : [...place.chosen, trial] }, true);
  const scrolled = (e: UIEvent) => {
    const at = (e.target as HTMLElement).scrollTop;
    setTop(at);
    remember("tab", `scroll ${study.name}`, `${at}\n${key}`);
  };
  const pin = (trial: number) =>
    go({ pinned: place.pinned.includes(trial) ? place.pinned.filter((t) => t !== trial) : [...place.pinned, trial] }, true);
  const move = (to: number) => {
    const at = Math.min(Math.max(to, 0), rows.length - 1);
    setCursor(at);
    const box = body.current!;
    if (at * ROW < box.scrollTop) box.scrollTop = at * ROW;
    else if ((at + 2) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (at + 2) * ROW - box.clientHeight;
  };
  const pressed = (e: KeyboardEvent) => {
    const page = Math.floor(room / ROW) - 1;
    const moves: Record<string, number> = {
      j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key in moves) move(cursor + moves[e.key]);
    else if (e.key === " ") choose(ids[rows[cursor]]);
    else if (e.key === "Enter" || e.key === "o") go({ trial: ids[rows[cursor]] });
    else if (e.key === "p") pin(ids[rows[cursor]]);
    else if (e.key === "c" && place.chosen.length > 1) go({ view: "compare" });
    else return;
    e.preventDefault();
  };
  const moveColumn = (name: string, to: string) => {
    const names = columns.map((c) => c.name).filter((n) => n !== name);
    names.splice(names.indexOf(to) + (columns.findIndex((c) => c.name === name) < columns.findIndex((c) => c.name === to) ? 1 : 0), 0, name);
    go({ columns: names }, true);
  };
  const all = ["trial", "state", ...columns.map((c) => c.name)];
  const csv = () => {
    const some = [...rows.slice(0, CSV_ROWS)];
    copy(asCsv({
      head: ["trial", "state", ...columns.map((c) => title(study, c))],
      rows: some.map((r) => [ids[r], cell(study.column("state"), r), ...columns.map((c) => cell(c, r))]),
    }), `${exactCount(some.length)} rows`);
  };
  // Each row is a grid of its own: what is in it must not decide how wide its columns are.
  const fixed = wide ? [32, 84, 110, 84] : [32, 76, 40];
  const widths = [...fixed, ...columns.map((c) => (c.numbers ? 94 : 110))];
  const grid = widths.map((w, i) => (i < fixed.length ? `${w}px` : `minmax(${w}px, 1fr)`)).join(" ");
  const line = { gridTemplateColumns: grid, minWidth: `${widths.reduce((s, w) => s + w, 0)}px` };
  return html`<div class="table-tools">
      ${fresh > 0 && html`<button type="button" class="fresh" onClick=${() => askAgain(asked + 1)}>${exactCount(fresh)} new</button>`}
      <${ColumnChooser} study=${study} shown=${columns} />
      <button type="button" onClick=${csv}>Copy as CSV</button>
      <button type="button" disabled=${place.chosen.length < 2} onClick=${() => go({ view: "compare" })}>Compare ${place.chosen.length || ""}</button>
      ${place.chosen.length > 0 && html`<button type="button" onClick=${() => go({ chosen: [] }, true)}>Clear selection</button>`}
      <span class="note" role="status">${fault || `${exactCount(rows.length)} trials`}</span></div>
    <div class="table" role="grid" aria-label="Trials" aria-rowcount=${rows.length + 1} aria-colcount=${all.length + (wide ? 2 : 1)}
      tabindex="0" onKeyDown=${pressed} aria-activedescendant=${rows.length ? `row-${cursor}` : undefined}>
      <div class="scroller" ref=${body} onScroll=${scrolled}>
      <div class="row head" role="row" aria-rowindex="1" style=${line}>
        <span role="columnheader"><span class="hidden">Selected</span></span>
        ${["trial", "state"].map((n) => html`<${Head} name=${n} title=${n} place=${place} sort=${sort} />`)}
        ${wide && html`<span role="columnheader">Curve</span>`}
        ${columns.map((c) => html`<${Head} name=${c.name} title=${title(study, c)} place=${place} sort=${sort} right=${!!c.numbers} moved=${moveColumn} />`)}</div>
      <div role="rowgroup" style=${{ height: `${rows.length * ROW}px`, position: "relative" }}>
      ${seen.map((r, k) => {
        const i = first + k, trial = ids[r], state = cell(study.column("state"), r) as string;
        return html`<div class="row" role="row" id=${`row-${i}`} key=${trial} aria-rowindex=${i + 2}
          aria-selected=${place.chosen.includes(trial)} data-cursor=${i === cursor} data-pinned=${place.pinned.includes(trial)}
          style=${{ transform: `translateY(${i * ROW}px)`, ...line }}
          onClick=${() => setCursor(i)} onDblClick=${() => go({ trial })}>
          <span role="gridcell"><input type="checkbox" tabindex="-1" checked=${place.chosen.includes(trial)}
            aria-label=${`Select trial ${trial}`} onChange=${() => choose(trial)} /></span>
          <span role="gridcell" class="n"><a tabindex="-1" href="#" onClick=${(e: Event) => (e.preventDefault(), go({ trial }))}>${place.pinned.includes(trial) && html`<small title="pinned">▴</small> `}${trial}</a></span>
          <span role="gridcell"><i style=${{ color: states[state]?.color }} aria-hidden="true">${states[state]?.mark}</i>${" "}<span class=${wide ? "" : "hidden"}>${state.replace("_", " ")}</span></span>
          ${wide && html`<span role="gridcell"><${Spark} values=${sparks.get(trial)} /></span>`}
          ${columns.map((c) => html`<span role="gridcell" class=${c.numbers ? "n" : ""} title=${cell(c, r)}>${shown(c, r)}</span>`)}
        </div>`;
      })}</div></div></div>
    ${!rows.length && order && html`<p class="empty">${study.columns!.rows ? "No trial is left by the filter." : "No trial has begun yet."}</p>`}`;
}

interface HeadOf {
  name: string;
  title: string;
  place: Place;
  sort: (name: string) => void;
  right?: boolean;
  /** The column was dropped on another. */
  moved?: (name: string, to: string) => void;
}

const DRAGGED = "text/x-throng-column";

function Head({ name, title: text, place, sort, right, moved }: HeadOf) {
  const on = place.by === name || (!place.by && name === "trial");
  return html`<span role="columnheader" draggable=${!!moved}
    onDragStart=${(e: DragEvent) => e.dataTransfer!.setData(DRAGGED, name)} onDragOver=${(e: DragEvent) => moved && e.preventDefault()}
    onDrop=${(e: DragEvent) => moved?.(e.dataTransfer!.getData(DRAGGED), name)} class=${right || name === "trial" ? "n" : ""} aria-sort=${on ? (place.down ? "descending" : "ascending") : "none"}>
    <button type="button" tabindex="-1" onClick=${() => sort(name)} title=${`Sort by ${text}`}>${text}${on ? (place.down ? " ↓" : " ↑") : ""}</button></span>`;
}

function ColumnChooser({ study, shown: now }: { study: Study; shown: Column[] }) {
  const all = study.columns!.list.filter((c) => c.name !== "trial" && c.name !== "state");
  const names = now.map((c) => c.name);
  const set = (name: string, on: boolean) => go({ columns: on ? [...names, name] : names.filter((n) => n !== name) }, true);
  return html`<details class="chooser"><summary>Columns</summary><div class="menu">
    ${all.map((c) => html`<label><input type="checkbox" checked=${names.includes(c.name)}
      onChange=${(e: Event) => set(c.name, (e.target as HTMLInputElement).checked)} /> ${title(study, c)} <small>${c.source}</small></label>`)}
    <button type="button" onClick=${() => go({ columns: [] }, true)}>What differs</button></div></details>`;
}
