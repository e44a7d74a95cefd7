// How good a value is among others, for colours.
import { Study } from "./study";

export interface Goodness {
  /** How good a value is among all, from 0 (best) to 1, by its place in the order. */
  of: (v: number) => number;
  /** The value at a place in the order, from 0 (best) to 1. */
  at: (part: number) => number;
}

export function goodness(study: Study, values: ArrayLike<number>, mask: Uint8Array): Goodness {
  const every = Math.max(1, Math.floor(values.length / 4000));
  const some: number[] = [];
  for (let i = 0; i < values.length; i += every) if (mask[i] && Number.isFinite(values[i])) some.push(values[i]);
  some.sort((a, b) => (study.minimizes() ? a - b : b - a));
  const of = (v: number) => {
    let low = 0, high = some.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (study.minimizes() ? some[middle] < v : some[middle] > v) low = middle + 1;
      else high = middle;
    }
    return some.length > 1 ? low / (some.length - 1) : 0;
  };
  return { of, at: (part) => some[Math.round(part * (some.length - 1))] ?? NaN };
}
