// Which mark lies under the pointer.

const REACH = 10; // pixels

/** The place of the mark nearest to (x, y), of `count`; -1: none is near. */
export function nearest(count: number, x: number, y: number, at: (i: number) => [number, number] | undefined): number {
  let found = -1, best = REACH * REACH;
  for (let i = 0; i < count; i++) {
    const place = at(i);
    if (!place) continue;
    const dx = place[0] - x, dy = place[1] - y, far = dx * dx + dy * dy;
    if (far < best) {
      best = far;
      found = i;
    }
  }
  return found;
}
