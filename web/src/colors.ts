// Colour means something: states have fixed ones (and a letter), categories Okabe-Ito, magnitudes cividis.

export const states: Record<string, { color: string; mark: string }> = {
  done: { color: "#009e73", mark: "●" },
  stopped: { color: "#56b4e9", mark: "◐" },
  running: { color: "#0072b2", mark: "▶" },
  paused: { color: "#cc79a7", mark: "‖" },
  waiting: { color: "#999999", mark: "○" },
  failed: { color: "#d55e00", mark: "✕" },
  invalid: { color: "#b35900", mark: "⊘" },
  timed_out: { color: "#e69f00", mark: "◷" },
  killed: { color: "#8c4a00", mark: "■" },
  diverged: { color: "#a0522d", mark: "≈" },
};

export const bad = ["failed", "invalid", "timed_out", "killed", "diverged"];

export const categories = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a68a6", "#8a8a00"];

// A few stops of cividis; straight lines between them are near enough.
const stops = [
  [0, 32, 77], [0, 54, 110], [64, 78, 108], [98, 101, 110], [124, 123, 120],
  [154, 146, 119], [187, 171, 107], [221, 198, 87], [255, 234, 70],
];

/** From 0 to 1. */
export function magnitude(t: number): [number, number, number] {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2), part = at - i;
  return [0, 1, 2].map((k) => Math.round(stops[i][k] + part * (stops[i + 1][k] - stops[i][k]))) as [number, number, number];
}

export function isDark(): boolean {
  return getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";
}

export function css([r, g, b]: [number, number, number]): string {
  return `rgb(${r} ${g} ${b})`;
}
