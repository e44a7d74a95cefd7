// Which parameters matter.
import { html } from "../html";
import { getJson } from "../api";
import { Drawing, Figure } from "../figure";
import { plotCommand } from "../plot_command";
import { Study, useAnswer } from "../study";

interface Importance {
  method: string;
  results: number;
  parameters: { name: string; share: number }[];
}

const ROW = 24, MOST = 12;

export function ImportanceFigure({ study }: { study: Study }) {
  // Asked anew when a tenth more has finished, not with every trial.
  const finished = study.standing?.finished ?? study.columns!.rows;
  const step = Math.floor(Math.log(Math.max(finished, 1)) / Math.log(1.1));
  const { answer, fault } = useAnswer(() => getJson<Importance>(study.path("importance")), [step, study.name]);
  if (!answer) return html`<section><h3>Importance</h3><p class="empty">${fault || "Working out which parameters matter …"}</p></section>`;
  const list = answer.parameters.slice(0, MOST);
  const most = Math.max(...list.map((p) => p.share), 1e-9);
  const draw = (d: Drawing) => {
    const { ctx } = d, left = Math.min(160, d.width / 3);
    ctx.textBaseline = "middle";
    list.forEach((p, i) => {
      const y = i * ROW + ROW / 2;
      ctx.fillStyle = d.ink;
      ctx.textAlign = "right";
      const letters = Math.floor((left - 8) / 7.5);
      ctx.fillText(p.name.length > letters ? "…" + p.name.slice(1 - letters) : p.name, left - 8, y);
      const width = (d.width - left - 64) * (p.share / most);
      ctx.fillStyle = d.accent;
      ctx.fillRect(left, y - 7, Math.max(width, 1), 14);
      ctx.fillStyle = d.ink;
      ctx.textAlign = "left";
      ctx.fillText(`${(100 * p.share).toFixed(1)} %`, left + width + 6, y);
    });
  };
  return html`<${Figure} title="Importance" id="importance" command=${plotCommand(study, "importance")} height=${Math.max(list.length, 1) * ROW + 4} draw=${draw}
    deps=${[answer]} note=${`${answer.method}, ${answer.results} results`}
    words=${list.map((p) => `${p.name} ${(100 * p.share).toFixed(1)} percent`).join(", ")}
    table=${() => ({ head: ["parameter", "share"], rows: answer.parameters.map((p) => [p.name, p.share]) })} />`;
}
