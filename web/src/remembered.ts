// What this browser remembers. In a frame on another site's page it may not be allowed to: then it lasts until reload.

const own = new Map<string, string>();

function ask<T>(work: () => T, otherwise: () => T): T {
  try {
    return work();
  } catch {
    return otherwise();
  }
}

export function remember(where: "tab" | "browser", name: string, value: string) {
  own.set(name, value);
  ask(() => (where === "tab" ? sessionStorage : localStorage).setItem(name, value), () => {});
}

export function remembered(where: "tab" | "browser", name: string): string {
  return ask(() => (where === "tab" ? sessionStorage : localStorage).getItem(name), () => null) ?? own.get(name) ?? "";
}
