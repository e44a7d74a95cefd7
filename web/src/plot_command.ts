// The command that draws the same picture for a paper: `throng plot KIND STUDY …`.
import { Study } from "./study";

/** As a shell takes it: in quotes where it has letters that mean something there. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Options are those that the kind looks at; what is empty is left out. */
export function plotCommand(study: Study, kind: string, options: Record<string, string | undefined> = {}): string {
  const words = ["throng", "plot", kind, quoted(study.name)];
  for (const [name, value] of Object.entries(options)) if (value) words.push(`--${name}`, quoted(value));
  return words.join(" ");
}
