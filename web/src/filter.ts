// The filter box: one mask for all views, in the words of `rank --where`.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html";
import { go } from "./place";
import { exactCount } from "./format";
import { Study, useStudy } from "./study";

const WAIT_MS = 300;

/** How many trials a mask has; where some have no result, also how many `throng rank --where` lists. With bounds or several objectives
 * a value alone does not tell. */
function kept(study: Study, rows: number): string {
  const mask = study.mask(), values = study.about?.fronts ? undefined : study.column("value")?.numbers;
  let shown = 0, ranked = 0;
  for (let i = 0; i < rows; i++)
    if (mask[i]) {
      shown++;
      if (!values || !Number.isNaN(values[i])) ranked++;
    }
  return shown === rows ? "" : `${exactCount(shown)} of ${exactCount(rows)}${ranked < shown ? `, ${exactCount(ranked)} with a result` : ""}`;
}

export function Filter({ study }: { study: Study }) {
  useStudy(study);
  const [text, set] = useState(study.filterText);
  const timer = useRef(0);
  const typed = (e: InputEvent) => {
    const value = (e.target as HTMLInputElement).value;
    set(value);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => go({ where: value.trim() }, true), WAIT_MS);
  };
  useEffect(() => {
    if (study.filterText !== text.trim()) set(study.filterText);
  }, [study.filterText]);
  const rows = study.columns?.rows ?? 0;
  const says = study.filter || study.brushed ? kept(study, rows) : "";
  return html`<label class="filter">Filter
    <input id="filter" type="search" spellcheck="false" autocomplete="off" placeholder="loss<0.1 and lr>1e-3"
      value=${text} onInput=${typed} aria-invalid=${!!study.filterFault} aria-describedby="filter-says" /></label>
    <span id="filter-says" class=${study.filterFault ? "fault" : "note"} role="status">
      ${study.filterFault || (!study.columns ? "" : says || exactCount(rows) + " trials")}</span>
    ${study.brushed && html`<button type="button" onClick=${() => go({ brushes: [] }, true)}>Clear brushes</button>
      <button type="button" title="Write the brushes into the filter" onClick=${() => go({ where: study.wholeFilter(), brushes: [] }, true)}>As filter</button>`}`;
}
