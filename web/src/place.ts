// Where the reader is, as the address has it: a link shows the same to somebody else.
import { useEffect, useState } from "preact/hooks";

export interface Place {
  study: string;
  view: string;
  where: string;
  /** Each as brush.ts writes it. */
  brushes: string[];
  by: string;
  down: boolean;
  trial: number;
  chosen: number[];
  pinned: number[];
  metric: string;
  x: string;
  y: string;
  columns: string[];
  smooth: number;
  /** Of curves: which, in which groups, over what, on which axis. */
  of: string;
  group: string;
  time: boolean;
  log: boolean;
}

/** An address that somebody has cut or written by hand is still read as far as it can be. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read(): Place {
  const p = new URLSearchParams(location.hash.slice(1));
  const list = (name: string) => (p.get(name) ? p.get(name)!.split("|").map(decoded) : []);
  return {
    study: p.get("study") ?? "",
    view: p.get("view") ?? "overview",
    where: p.get("where") ?? "",
    brushes: list("brushes"),
    by: p.get("by") ?? "",
    down: p.get("down") === "1",
    trial: Number(p.get("trial") ?? 0),
    chosen: list("chosen").map(Number).filter((n) => n > 0),
    pinned: list("pinned").map(Number).filter((n) => n > 0),
    metric: p.get("metric") ?? "",
    x: p.get("x") ?? "",
    y: p.get("y") ?? "",
    columns: list("columns"),
    smooth: Number(p.get("smooth") ?? 0),
    of: p.get("of") ?? "",
    group: p.get("group") ?? "",
    time: p.get("time") === "1",
    log: p.get("log") === "1",
  };
}

export function link(change: Partial<Place>): string {
  const next = { ...read(), ...change };
  const p = new URLSearchParams();
  for (const [name, value] of Object.entries(next)) {
    if (Array.isArray(value)) {
      if (value.length) p.set(name, value.map(encodeURIComponent).join("|"));
    } else if (value === true) {
      p.set(name, "1");
    } else if (value && !(name === "view" && value === "overview")) {
      p.set(name, String(value));
    }
  }
  return "#" + p.toString();
}

export function go(change: Partial<Place>, replace = false) {
  const to = link(change);
  if (to === location.hash) return;
  if (replace) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

export function usePlace(): Place {
  const [place, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}
