// The files that trials left, each with a look into it.
import { useEffect, useState } from "preact/hooks";
import { getBlob, getJson } from "../api";
import { bytes } from "../format";
import { html } from "../html";
import { Study, useAnswer } from "../study";

export interface Files {
  files: { path: string; bytes: number }[];
}

const FEW = 12;

function Preview({ study, trial, path }: { study: Study; trial: number; path: string }) {
  const [shown, set] = useState<{ url?: string; text?: string; fault?: string }>({});
  useEffect(() => {
    let url = "";
    getBlob(study.path(`trials/${trial}/file`), { path }).then(
      async (b) => {
        if (b.type.startsWith("image/")) {
          url = URL.createObjectURL(b);
          set({ url });
        } else if (b.type.startsWith("text/")) {
          set({ text: await b.text() });
        } else {
          set({ fault: `${bytes(b.size)} that cannot be shown here.` });
        }
      },
      (e) => set({ fault: e.message }),
    );
    return () => URL.revokeObjectURL(url);
  }, [trial, path]);
  if (shown.url) return html`<img src=${shown.url} alt=${`The picture ${path} of trial ${trial}`} />`;
  if (shown.text !== undefined) return html`<pre class="log" tabindex="0" role="region" aria-label=${path}>${shown.text}</pre>`;
  return html`<p class="empty">${shown.fault ?? "…"}</p>`;
}

export function FileList({ study, trial, files: given }: { study: Study; trial: number; files?: Files }) {
  const [open, setOpen] = useState("");
  const files = given?.files.filter((f) => f.path !== "log") ?? [];
  const [all, setAll] = useState(false);
  const shown = all ? files : files.slice(0, FEW);
  if (!files.length) return html`<p class="empty">It left none.</p>`;
  return html`<ul class="plain">${shown.map((f) => html`<li><button type="button" class="link" aria-expanded=${open === f.path}
    onClick=${() => setOpen(open === f.path ? "" : f.path)}>${f.path}</button> <small>${bytes(f.bytes)}</small>
    ${open === f.path && html`<${Preview} study=${study} trial=${trial} path=${f.path} />`}</li>`)}</ul>
    ${shown.length < files.length && html`<button type="button" onClick=${() => setAll(true)}>All ${files.length} files</button>`}`;
}

/** Those of several trials side by side. */
export function FilesBeside({ study, trials }: { study: Study; trials: number[] }) {
  const { answer } = useAnswer(() => Promise.all(trials.map((t) => getJson<Files>(study.path(`trials/${t}/files`)))),
    [trials.join(","), study.columns?.revision]);
  return html`<div class="beside">${trials.map((t, i) => html`<section><p class="note">trial ${t}</p>
    <${FileList} study=${study} trial=${t} files=${answer?.[i]} /></section>`)}</div>`;
}
