// What the server is asked, and how its answers are read. An exported page has no server, and answers itself.
import { Offline } from "./offline";
import { remember, remembered } from "./remembered";

const here = new URL(".", location.href);

/** The token comes with the address and stays for this tab; nobody sees it in the address bar. */
function takeToken(): string {
  const hash = new URLSearchParams(location.hash.slice(1));
  const given = hash.get("token");
  if (given) {
    remember("tab", "throng-token", given);
    hash.delete("token");
    history.replaceState(null, "", "#" + hash.toString());
  }
  return given ?? remembered("tab", "throng-token");
}

const token = takeToken();

const data = document.getElementById("throng-export");
const inside = data ? Offline.open(data) : undefined;

export const isExport = () => inside !== undefined;

/** The study of an exported page; undefined: there is a server. */
export async function exported(): Promise<string | undefined> {
  return (await inside)?.study;
}

export class Refused extends Error {
  constructor(readonly status: number, text: string) {
    super(text);
  }
}

async function fail(answer: Response): Promise<never> {
  let text = `${answer.status} ${answer.statusText}`;
  try {
    text = (await answer.json()).error.text;
  } catch {
    // It was not ours to say.
  }
  throw new Refused(answer.status, text);
}

type Parameters = Record<string, string | number | boolean | string[] | undefined | null>;

function address(path: string, parameters: Parameters = {}): string {
  const url = new URL("api/v1/" + path, here);
  for (const [name, value] of Object.entries(parameters))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null && one !== "" && one !== false)
        url.searchParams.append(name, one === true ? "1" : String(one));
  return url.href;
}

async function ask(path: string, parameters?: Parameters, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(address(path, parameters), {
    ...init,
    headers: { "X-Throng-Token": token, ...init.headers },
  });
  return answer.ok ? answer : fail(answer);
}

export async function getJson<T>(path: string, parameters?: Parameters): Promise<T> {
  if (inside) return (await inside).json(path, parameters) as T;
  return (await ask(path, parameters)).json();
}

export async function getText(path: string, parameters?: Parameters): Promise<string> {
  if (inside) return "";
  return (await ask(path, parameters)).text();
}

export async function getBlob(path: string, parameters?: Parameters): Promise<Blob> {
  return (await ask(path, parameters)).blob();
}

export async function getBytes(path: string, parameters?: Parameters): Promise<ArrayBuffer> {
  if (inside) return (await inside).binary(path, parameters);
  return (await ask(path, parameters)).arrayBuffer();
}

export interface Acted {
  exit_code: number;
  command: string;
  text: string;
}

/** A change that was refused is an answer, too: it says why. */
export async function act(study: string, body: Record<string, string>): Promise<Acted> {
  const answer = await fetch(address(`studies/${encodeURIComponent(study)}/act`), {
    method: "POST",
    headers: { "X-Throng-Token": token, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok && answer.status !== 409) return fail(answer);
  const said = await answer.json();
  if (said.error) throw new Refused(answer.status, said.error.text);
  return said;
}

export interface Event {
  kind: string;
  id: string;
  data: string;
}

/** Reads server-sent events from a stream; ends when it does. */
export async function listen(path: string, since: string, hear: (e: Event) => void, signal: AbortSignal) {
  if (inside) {
    hear({ kind: "change", id: "", data: (await inside).standing });
    return new Promise<void>(() => {}); // nothing will change
  }
  const answer = await ask(path, { since }, { signal });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      hearOne(text.slice(0, end), hear);
      text = text.slice(end + 2);
    }
  }
}

function hearOne(block: string, hear: (e: Event) => void) {
  const e: Event = { kind: "message", id: "", data: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    const name = line.slice(0, at), value = line.slice(at + 2);
    if (name === "event") e.kind = value;
    else if (name === "id") e.id = value;
    else if (name === "data") e.data += value;
  }
  if (e.data) hear(e);
}
