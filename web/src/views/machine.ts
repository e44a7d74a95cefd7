// The server's own machine, now and during the last hour.
import { getJson } from "../api";
import { area, axes, steps } from "../axes";
import { Drawing, Figure } from "../figure";
import { bytes, moment, number, plural, time } from "../format";
import { html } from "../html";
import { fit, Scale } from "../scale";
import { Study, useAnswer } from "../study";

interface Machine {
  host: string;
  cpus: number;
  load: number;
  memory_bytes: number;
  free_bytes: number;
  gpus: { name: string; memory_bytes: number; used_bytes: number | null; busy: number | null; processes: number | null }[];
  lately: { every: number; times: number[]; cpus: (number | null)[]; used_bytes: number[]; gpus: (number | null)[][]; gpus_busy: (number | null)[][] };
}

interface Lately {
  title: string;
  id: string;
  most: number;
  values: (number | null)[];
  unit: (v: number) => string;
}

function LatelyFigure({ m, title, id, most, values, unit }: Lately & { m: Machine }) {
  const list = values.map((v) => v ?? NaN), { times, every } = m.lately;
  const x: Scale = { min: 0, max: Math.max(times.length * every, 60), log: false, seconds: true };
  const y = { ...fit([0, most], false), whole: false, unit, bytes: unit === bytes };
  const draw = (d: Drawing) => {
    const a = area(d, 70);
    axes(d, a, x, y, `since ${time(times[0])}`, "");
    steps(d, a, x, y, list, every);
  };
  const known = list.filter(Number.isFinite), now = known[known.length - 1];
  const words = now === undefined ? "not known" : `${unit(now)} of ${unit(most)} now, at most ${unit(Math.max(...known))}`;
  return html`<${Figure} title=${title} id=${id} height=${140} draw=${draw} deps=${[m]} words=${words} note=${words}
    table=${() => ({ head: ["time", title], rows: times.map((t, i) => [moment(t), values[i] ?? undefined]) })} />`;
}

const percent = (v: number) => `${number(100 * v, 3)} %`;

export function MachineView({ study }: { study: Study }) {
  const { answer: m } = useAnswer(() => getJson<Machine>("machine"), [Math.floor(study.heard / 5000)]);
  if (!m) return null;
  const figures: Lately[] = [
    { title: "CPU", id: "machine-cpus", most: m.cpus, values: m.lately.cpus, unit: (v) => number(v, 3) },
    { title: "Memory", id: "machine-memory", most: m.memory_bytes, values: m.lately.used_bytes, unit: bytes },
    ...m.gpus.flatMap((g, i) => [
      { title: `GPU ${i}`, id: `machine-gpu-${i}`, most: 1, values: m.lately.gpus_busy[i], unit: percent },
      { title: `Memory of GPU ${i}`, id: `machine-gpu-memory-${i}`, most: g.memory_bytes, values: m.lately.gpus[i], unit: bytes },
    ]),
  ];
  return html`<section><h2>This machine: ${m.host}</h2><p class="note">As this server saw it, by all who use it: ${m.cpus} cpus, load ${number(m.load, 3)}${
    m.gpus.length ? `; ${m.gpus.map((g, i) => `GPU ${i} ${g.name}${g.processes === null ? "" : `, ${plural(g.processes, "process", "es")}`}`).join("; ")}` : "; no GPU"}.</p>
    <div class="grid">${figures.map((f) => html`<${LatelyFigure} m=${m} ...${f} key=${f.id} />`)}</div></section>`;
}
