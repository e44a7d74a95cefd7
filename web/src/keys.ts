// Everything by keyboard.
import { useEffect, useRef } from "preact/hooks";
import { html } from "./html";
import { go } from "./place";

interface View {
  name: string;
  title: string;
  key: string;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

/** g, then a view's letter; / filters; ? helps; Escape closes. */
export function useKeys(views: View[], help: () => void) {
  useEffect(() => {
    let g = false;
    const pressed = (e: KeyboardEvent) => {
      if (e.key === "Escape") {
        if (isTyping(e.target)) (e.target as HTMLElement).blur();
        else go({ trial: 0 });
        return;
      }
      if (isTyping(e.target) || e.ctrlKey || e.metaKey || e.altKey) return;
      const view = g && views.find((v) => v.key === e.key);
      g = e.key === "g";
      if (view) go({ view: view.name, trial: 0 });
      else if (e.key === "/") document.getElementById("filter")?.focus();
      else if (e.key === "?") help();
      else return;
      e.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

export function Help({ views, close }: { views: View[]; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const rows = [
    ["/", "filter"],
    ...views.map((v) => [`g ${v.key}`, v.title.toLowerCase()]),
    ["j k, arrows", "next and previous row of the table"],
    ["space", "select the row"],
    ["p", "pin the row: it stays on top"],
    ["Enter, o", "open the trial"],
    ["c", "compare what is selected"],
    ["Escape", "close"],
    ["?", "this list"],
  ];
  return html`<dialog ref=${dialog} onClose=${close} aria-label="Keys"><h2>Keys</h2><dl class="keys">
    ${rows.map(([k, what]) => html`<dt><kbd>${k}</kbd></dt><dd>${what}</dd>`)}</dl>
    <button type="button" onClick=${() => dialog.current?.close()}>Close</button></dialog>`;
}
