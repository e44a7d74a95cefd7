// The page: which study, which view, and what is always in sight.
import { ComponentChildren, render } from "preact";
import { useEffect, useErrorBoundary, useMemo, useState } from "preact/hooks";
import { exported, getJson, Refused } from "./api";
import { html } from "./html";
import { go, link, usePlace } from "./place";
import { copy } from "./take_along";
import { remember, remembered } from "./remembered";
import { Said } from "./say";
import { Study, useStudy } from "./study";
import { CampaignTop, Top } from "./top";
import { Filter } from "./filter";
import { brushText, readBrush } from "./brush";
import { Help, useKeys } from "./keys";
import { Overview } from "./views/overview";
import { TableView } from "./views/table";
import { Curves } from "./views/curves";
import { Parameters } from "./views/parameters";
import { Load } from "./views/load";
import { Errors } from "./views/errors";
import { Campaign } from "./views/campaign";
import { Compare } from "./views/compare";
import { Trial } from "./views/trial";
import { Studies, Entry } from "./views/studies";

export const views = [
  { name: "overview", title: "Overview", key: "o", view: Overview },
  { name: "table", title: "Table", key: "t", view: TableView },
  { name: "curves", title: "Curves", key: "c", view: Curves },
  { name: "parameters", title: "Parameters", key: "p", view: Parameters },
  { name: "load", title: "Load", key: "l", view: Load },
  { name: "errors", title: "Errors", key: "e", view: Errors },
  { name: "compare", title: "Compare", key: "m", view: Compare },
];

function Page({ study }: { study: Study }) {
  useStudy(study);
  const place = usePlace();
  const [help, setHelp] = useState(false);
  useKeys(views, () => setHelp(true));
  useEffect(() => {
    study.setFilter(place.where);
  }, [place.where]);
  useEffect(() => {
    if (place.brushes.join("|") !== study.brushes.map(brushText).join("|"))
      study.setBrushes(place.brushes.flatMap((text) => readBrush(text) ?? []));
  }, [place.brushes.join("|")]);
  useEffect(() => {
    document.title = `${study.name} · throng`;
  }, [study]);
  const view = views.find((v) => v.name === place.view) ?? views[0];
  const tools = html`<${Scheme} />
      <button type="button" onClick=${() => copy(location.href, "the link; whoever opens it needs the token, too")} title="Copy the link to this view">Link</button>
      <button type="button" onClick=${() => setHelp(true)} aria-label="Keys">?</button>`;
  if (study.about?.campaign)
    return html`<${CampaignTop} study=${study} tools=${tools} /><main><${Campaign} study=${study} /></main>
      ${help && html`<${Help} views=${views} close=${() => setHelp(false)} />`}`;
  return html`<${Top} study=${study} />
    <nav aria-label="Views">${views.map((v) => html`<a href=${link({ view: v.name, trial: 0 })}
      aria-current=${v === view ? "page" : undefined}>${v.title}</a>`)}
      <span class="grow"></span><${Filter} study=${study} />${tools}</nav>
    <main><h2 class="hidden">${view.title}</h2>${!study.columns
      ? html`<p class="empty">${study.fault || "Reading the study …"}</p>`
      : html`<${Guarded} key=${view.name}><${view.view} study=${study} place=${place} /></${Guarded}>`}</main>
    ${place.trial > 0 && html`<${Guarded} key=${place.trial}><${Trial} study=${study} trial=${place.trial} /></${Guarded}>`}
    ${help && html`<${Help} views=${views} close=${() => setHelp(false)} />`}`;
}

/** What goes wrong in a view stays in it: the others are still there, and it is said. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [fault] = useErrorBoundary((e) => console.error(e));
  return fault ? html`<p class="fault" role="alert">This could not be drawn: ${fault.message}. Another view, or loading the page again, goes on.</p>` : children;
}

function setScheme(scheme: string) {
  if (scheme) document.documentElement.dataset.scheme = scheme;
  else delete document.documentElement.dataset.scheme;
}

/** By the system, or as the reader likes. */
function Scheme() {
  const [scheme, set] = useState(remembered("browser", "throng-scheme"));
  useEffect(() => {
    setScheme(scheme);
    remember("browser", "throng-scheme", scheme);
    dispatchEvent(new CustomEvent("scheme"));
  }, [scheme]);
  const next = scheme === "" ? "dark" : scheme === "dark" ? "light" : "";
  return html`<button type="button" onClick=${() => set(next)}
    aria-label=${`Colours: ${scheme || "as the system has them"}`}>${scheme === "dark" ? "☾" : scheme === "light" ? "☀" : "◐"}</button>`;
}

const LIST_MS = 5000;

function App() {
  const place = usePlace();
  const [studies, setStudies] = useState<Entry[]>();
  const [fault, setFault] = useState("");
  useEffect(() => {
    if (document.getElementById("throng-export")) {
      exported().then((name) => name && go({ study: name }, true), (e) => setFault(e.message));
      return;
    }
    const ask = () => getJson<{ studies: Entry[] }>("studies").then(
      (a) => {
        setStudies(a.studies);
        setFault("");
        const tops = a.studies.filter((s) => !s.study.includes("/"));
        if (!place.study && tops.length === 1) go({ study: tops[0].study }, true);
      },
      (e) => setFault(e instanceof Refused && e.status === 401
        ? "This address has no token, or that of a server that has ended. Open the one that `throng web` printed."
        : e.message),
    );
    ask();
    if (place.study) return;
    const timer = setInterval(() => document.visibilityState === "visible" && ask(), LIST_MS);
    return () => clearInterval(timer);
  }, [place.study]);
  const study = useMemo(() => (place.study ? new Study(place.study) : undefined), [place.study]);
  useEffect(() => () => study?.close(), [study]);
  if (fault) return html`<main><h1>throng</h1><p class="empty" role="alert">${fault}</p></main>`;
  return html`${study ? html`<${Page} study=${study} key=${study.name} />`
                      : html`<${Studies} list=${studies} tools=${html`<${Scheme} />`} />`}<${Said} />`;
}

setScheme(remembered("browser", "throng-scheme"));
render(html`<${App} />`, document.getElementById("app")!);
