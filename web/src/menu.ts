// A button that opens a few choices below it; Escape, a choice or a click elsewhere closes them.
import { useId, useRef } from "preact/hooks";
import { html } from "./html";

interface Choice {
  name: string;
  /** More of it, on hover. */
  hint?: string;
  act: () => void;
}

/** The browser lays what is open over all else, but not where it belongs. */
function place(box: HTMLElement, button: HTMLElement) {
  const at = button.getBoundingClientRect();
  const left = Math.max(Math.min(at.right - box.offsetWidth, innerWidth - box.offsetWidth - 8), 8);
  const below = at.bottom + box.offsetHeight + 8 < innerHeight;
  Object.assign(box.style, { left: `${left}px`, top: `${below ? at.bottom + 2 : Math.max(at.top - box.offsetHeight - 2, 8)}px` });
}

export function Menu({ title, of, choices }: { title: string; of: string; choices: Choice[] }) {
  const id = useId(), box = useRef<HTMLDivElement>(null), button = useRef<HTMLButtonElement>(null);
  const choose = (c: Choice) => {
    box.current!.hidePopover();
    button.current!.focus();
    c.act();
  };
  return html`<button type="button" ref=${button} popovertarget=${id} aria-haspopup="true">${title}<span aria-hidden="true"> ▾</span></button>
    <div popover id=${id} ref=${box} class="choices" role="group" aria-label=${`${title}: ${of}`}
      onToggle=${(e: ToggleEvent) => e.newState === "open" && place(box.current!, button.current!)}>
      ${choices.map((c) => html`<button type="button" title=${c.hint} onClick=${() => choose(c)}>${c.name}</button>`)}</div>`;
}
