// What a trial logged beside its metrics (pictures, tables, histograms, charts), as the stand-in of wandb keeps it: a
// line of JSON for each step in output/wandb/history.jsonl, and files beside it.
import { getText } from "./api";
import { Study } from "./study";

const FOLDER = "output/wandb/";
export const HISTORY = FOLDER + "history.jsonl";

export interface Said {
  _type?: string;
  path?: string;
  caption?: string;
  error?: string;
  masks?: Record<string, Overlay>;
  boxes?: Record<string, Overlay>;
}

export interface Overlay {
  path: string;
  class_labels?: Record<string, string>;
}

/** By name: what was logged, in the order of steps. */
export type Logged = Map<string, { step: number; value: unknown }[]>;

export function readLogged(text: string): Logged {
  const all: Logged = new Map();
  for (const line of text.split("\n")) {
    const row = parse(line);
    if (!row) continue;
    for (const [name, value] of Object.entries(row)) {
      if (name.startsWith("_") || name === "step" || value === null) continue;
      if (!all.has(name)) all.set(name, []);
      all.get(name)!.push({ step: Number(row._step ?? 0), value });
    }
  }
  for (const list of all.values()) list.sort((a, b) => a.step - b.step);
  return all;
}

/** Undefined of a line that is cut off, or is none. */
function parse(line: string): Record<string, unknown> | undefined {
  try {
    const row = JSON.parse(line.replace(/\b(NaN|-?Infinity)\b/g, "null"));
    return row && typeof row === "object" && !Array.isArray(row) ? row : undefined;
  } catch {
    return undefined;
  }
}

export async function loggedOf(study: Study, trial: number): Promise<Logged> {
  return readLogged(await getText(study.path(`trials/${trial}/file`), { path: HISTORY }));
}

/** The newest at a step: what was not logged there stays as it was. */
export function at(list: { step: number; value: unknown }[] | undefined, step: number): unknown {
  let found: unknown;
  for (const one of list ?? []) if (one.step <= step) found = one.value;
  return found;
}

export function steps(all: Logged[]): number[] {
  return [...new Set(all.flatMap((l) => [...l.values()].flatMap((list) => list.map((e) => e.step))))].sort((a, b) => a - b);
}

/** The path of a file that the history names, as the trial's folder has it. */
export function pathOf(said: { path?: string }): string {
  return FOLDER + (said.path ?? "");
}

export interface Matrix {
  names: string[];
  /** counts[truth][guess] */
  counts: number[][];
}

interface Chart {
  chart: string;
  args?: unknown[];
  [name: string]: unknown;
}

/** wandb.plot.confusion_matrix(probs, y_true, preds, class_names). */
export function confusion(chart: Chart): Matrix | undefined {
  const [probs, truths, guesses, classes] = chart.args ?? [];
  const given = <T>(name: string, place: unknown) => (chart[name] ?? place ?? undefined) as T | undefined;
  const truth = given<number[]>("y_true", truths), chances = given<number[][]>("probs", probs);
  const guess = given<number[]>("preds", guesses) ?? chances?.map((row) => row.indexOf(Math.max(...row)));
  if (!Array.isArray(truth) || !Array.isArray(guess)) return undefined;
  const count = Math.max(...truth, ...guess, -1) + 1;
  const names = given<string[]>("class_names", classes) ?? [...Array(count).keys()].map(String);
  const size = Math.max(names.length, count);
  if (!(size > 0 && size <= 1000)) return undefined;
  const counts = [...Array(size)].map(() => new Array<number>(size).fill(0));
  truth.forEach((t, i) => counts[t]?.[guess[i]] !== undefined && counts[t][guess[i]]++);
  return { names: [...Array(size).keys()].map((i) => String(names[i] ?? i)), counts };
}
