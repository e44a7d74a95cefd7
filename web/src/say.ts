// A word to the reader, seen and heard.
import { useEffect, useState } from "preact/hooks";
import { html } from "./html";

const SHOWN_MS = 6000;
let tell: (text: string) => void = () => {};

export function say(text: string) {
  tell(text);
}

export function Said() {
  const [text, set] = useState("");
  useEffect(() => {
    let timer = 0;
    tell = (t) => {
      set(t);
      clearTimeout(timer);
      timer = setTimeout(() => set(""), SHOWN_MS);
    };
  }, []);
  return html`<div class="said" role="status" aria-live="polite" data-empty=${!text}>${text}</div>`;
}
