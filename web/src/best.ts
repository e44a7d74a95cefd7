// Which trials are the best of those that are shown.
import { cell } from "./columns";
import { Study } from "./study";

/** Rows of the mask with the best values; where there are fronts, those that `rank` has first. */
export function bestRows(study: Study, most: number): number[] {
  if (study.ranked) {
    const mask = study.mask();
    return study.ranked.map((t) => study.rowOf(t.id)).filter((r) => r >= 0 && mask[r]).slice(0, most);
  }
  const values = study.column("value")?.numbers ?? new Float64Array(0);
  const states = study.column("state")!;
  const mask = study.mask(), sign = study.minimizes() ? 1 : -1;
  const list: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const v = sign * values[i];
    if (!mask[i] || Number.isNaN(v)) continue;
    const state = cell(states, i);
    if (state !== "done" && state !== "stopped") continue;
    if (list.length === most && v >= sign * values[list[most - 1]]) continue;
    let at = list.length;
    while (at > 0 && sign * values[list[at - 1]] > v) at--;
    list.splice(at, 0, i);
    if (list.length > most) list.pop();
  }
  return list;
}
