// Curves in a picture that names the trial under the pointer.
import uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getJson } from "../api";
import { area, axes, px, py, short } from "../axes";
import { CurvePicture, CurvesOf, curvesPicture } from "../curves";
import { colors, Drawing, fontOf, Numbers, useScheme } from "../figure";
import { number } from "../format";
import { html } from "../html";
import { fit } from "../scale";
import { Tools } from "../take_along";
import { plotCommand } from "../plot_command";
import { Study, useAnswer } from "../study";

/** Between whole numbers there is no step. */
const steps = [1, 2, 5].flatMap((f) => [...Array(12).keys()].map((e) => f * 10 ** e)).sort((a, b) => a - b);

/** The border of a legend's mark that is most like the line. */
const lineStyle = (dash?: number[]) => (!dash?.length ? "solid" : dash.length > 2 ? "double" : dash[0] > 3 ? "dashed" : "dotted");

interface Props {
  picture: CurvePicture;
  logY: boolean;
  title: string;
  xName: string;
  height?: number;
  command?: string;
}

function optionsOf({ picture, logY, xName }: Props, size: { width: number; height: number }): uPlot.Options {
  const { ink, faint } = colors();
  const axis = { stroke: ink, grid: { stroke: faint, width: 0.5 }, ticks: { stroke: faint, width: 0.5 }, font: fontOf() };
  const whole = (picture.data[0] as number[]).every(Number.isInteger);
  return {
    ...size,
    scales: { x: { time: false }, y: { distr: logY ? 3 : 1 } },
    axes: [{ ...axis, label: xName, labelSize: 20, incrs: whole ? steps : undefined },
      { ...axis, size: 64, values: (_, v) => v.map((n) => (n === null ? "" : number(n))) }],
    series: [{ label: xName }, ...picture.series],
    bands: picture.bands,
    legend: { show: picture.series.length <= 24, markers: { width: 2, dash: (_, i) => lineStyle(picture.series[i - 1]?.dash) } },
    cursor: { focus: { prox: 24 } },
    focus: { alpha: 0.25 },
  };
}

const NAMED = 24, NAME_WIDTH = 110, NAME_HEIGHT = 18;

/** So much higher is a copy, for the names of its lines. */
const legendRows = (p: CurvePicture, width: number) => {
  const named = p.series.filter((s) => s.width);
  return named.length > NAMED ? 0 : Math.ceil(named.length / Math.max(Math.floor((width - 70) / NAME_WIDTH), 1));
};

function drawLegend({ ctx, ink, width }: Drawing, picture: CurvePicture, top: number) {
  const across = Math.max(Math.floor((width - 70) / NAME_WIDTH), 1);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  picture.series.filter((s) => s.width).forEach((s, i) => {
    const x = 70 + (i % across) * NAME_WIDTH, y = top + (Math.floor(i / across) + 0.5) * NAME_HEIGHT;
    ctx.strokeStyle = String(s.stroke);
    ctx.lineWidth = s.width!;
    ctx.setLineDash(s.dash ?? []);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + 24, y);
    ctx.stroke();
    ctx.fillStyle = ink;
    ctx.fillText(short(String(s.label)), x + 30, y);
  });
  ctx.setLineDash([]);
}

/** The same, in our own strokes, to be taken along: with the names of its lines below. */
function drawCurves(whole: Drawing, { picture, logY, xName, title }: Props) {
  const rows = legendRows(picture, whole.width), d = { ...whole, height: whole.height - rows * NAME_HEIGHT };
  if (rows) drawLegend(whole, picture, d.height);
  const [xs, ...lists] = picture.data as (number | null | undefined)[][];
  const a = area(d, 70), numbers = (list: (number | null | undefined)[]) => list.map((v) => v ?? NaN);
  const x = fit(numbers(xs), false), y = fit(lists.flatMap(numbers), logY);
  axes(d, a, x, y, xName, title);
  const { ctx } = d;
  const follow = (list: (number | null | undefined)[], order = [...list.keys()]) =>
    order.forEach((i) => list[i] !== null && list[i] !== undefined && ctx.lineTo(px(a, x, xs[i]!), py(a, y, list[i]!)));
  for (const b of picture.bands ?? []) {
    ctx.fillStyle = String(b.fill);
    ctx.beginPath();
    follow(lists[b.series[0] - 1]);
    follow(lists[b.series[1] - 1], [...xs.keys()].reverse());
    ctx.fill();
  }
  picture.series.forEach((s, k) => {
    ctx.strokeStyle = String(s.stroke);
    ctx.lineWidth = s.width ?? 1;
    ctx.setLineDash(s.dash ?? []);
    ctx.beginPath();
    follow(lists[k]);
    ctx.stroke();
  });
  ctx.setLineDash([]);
}

export function CurvePlot(p: Props) {
  const { picture, logY, title, height = 420 } = p;
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!box.current || open) return;
    const size = () => ({ width: box.current?.clientWidth ?? 0, height });
    const made = new uPlot(optionsOf(p, size()), picture.data, box.current);
    const watch = new ResizeObserver(() => box.current && made.setSize(size()));
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [picture, logY, open, useScheme()]);
  return html`<figure class="figure" data-figure="curves"><figcaption><h3>${title}</h3><span class="note">${picture.words}</span>
    <${Tools} command=${p.command} title=${title} table=${picture.table} open=${open} setOpen=${setOpen}
      size=${{ width: box.current?.clientWidth || 800, height: height + NAME_HEIGHT * legendRows(picture, box.current?.clientWidth || 800) }} draw=${(d: Drawing) => drawCurves(d, p)} /></figcaption>
    <div role="img" aria-label=${`${title}. ${picture.words}`} hidden=${open} ref=${box}></div>
    ${open && html`<${Numbers} table=${picture.table()} title=${title} />`}</figure>`;
}

/** The curves of one metric of a few trials, as small as beside other things. */
function SmallCurves({ study, trials, metric }: { study: Study; trials: number[]; metric: string }) {
  const wants = trials.join(",");
  const { answer } = useAnswer(() => getJson<CurvesOf>(study.path("curves"), { trials: wants, metric, points: 300 }),
    [wants, metric, study.columns?.revision]);
  const picture = useMemo(() => answer && curvesPicture(answer, false, 0), [answer]);
  if (!picture || picture.data[0].length < 2) return null;
  return html`<${CurvePlot} picture=${picture} logY=${false} title=${metric} xName="step" height=${200}
    command=${plotCommand(study, "curves", { metric, trials: wants })} />`;
}

const FEW = 6;

/** Those of a trial's metrics, or of some trials', that come first. */
export function FewCurves({ study, trials, metrics }: { study: Study; trials: number[]; metrics: string[] }) {
  return html`<div class="curves">${metrics.slice(0, FEW).map((metric) => html`<${SmallCurves} study=${study} trials=${trials} metric=${metric} key=${metric} />`)}
    ${metrics.length > FEW && html`<p class="note">${FEW} of ${metrics.length} metrics.</p>`}</div>`;
}
