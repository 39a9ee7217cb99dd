// SPDX-License-Identifier: MIT
// The way of a wire: a soft curve forwards where nothing is in between, and a
// lane above or below the blocks for one that leads back or would cross some.
const OUT = 18, ROUND = 10, LANE = 10, CLEAR = 18, SAMPLES = 12;

const reach = (a, b) => Math.max(36, (b.x - a.x) / 2);
const soft = (a, b) => `M${a.x} ${a.y}C${a.x + reach(a, b)} ${a.y} ${b.x - reach(a, b)} ${b.y} ${b.x} ${b.y}`;

/** A point of that curve, s from 0 to 1. */
function along(a, b, s) {
  const r = reach(a, b), q = 1 - s;
  const mix = (p0, p1, p2, p3) => q * q * q * p0 + 3 * q * q * s * p1 + 3 * q * s * s * p2 + s * s * s * p3;
  return { x: mix(a.x, a.x + r, b.x - r, b.x), y: mix(a.y, a.y, b.y, b.y) };
}

/** Boxes a soft curve would go through. */
function crossed(a, b, boxes) {
  const points = Array.from({ length: SAMPLES - 1 }, (_, i) => along(a, b, (i + 1) / SAMPLES));
  return boxes.filter((box) => points.some((p) => p.x > box.x && p.x < box.x + box.width && p.y > box.y && p.y < box.y + box.height));
}

/** A path through corners, each rounded. */
function rounded(points) {
  let d = `M${points[0].x} ${points[0].y}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const [p, c, n] = [points[i - 1], points[i], points[i + 1]];
    const before = Math.hypot(c.x - p.x, c.y - p.y), after = Math.hypot(n.x - c.x, n.y - c.y);
    const r = Math.min(ROUND, before / 2, after / 2);
    const at = (q, len) => `${c.x + ((q.x - c.x) / (len || 1)) * r} ${c.y + ((q.y - c.y) / (len || 1)) * r}`;
    d += `L${at(p, before)}Q${c.x} ${c.y} ${at(n, after)}`;
  }
  return `${d}L${points.at(-1).x} ${points.at(-1).y}`;
}

/** A lane beside all boxes between two x: {y, below}. Back ways go below,
 *  others where it is nearer. */
function laneFor(a, b, boxes, left, right, taken) {
  const between = boxes.filter((box) => box.x < right && box.x + box.width > left);
  const heights = [a.y, b.y, ...between.flatMap((box) => [box.y, box.y + box.height])];
  const top = Math.min(...heights), bottom = Math.max(...heights);
  const below = b.x <= a.x || bottom - (a.y + b.y) / 2 <= (a.y + b.y) / 2 - top;
  const k = below ? taken.below++ : taken.above++;
  return below ? bottom + CLEAR + (k % 8) * LANE : top - CLEAR - (k % 8) * LANE;
}

/** wires: [{a, b, …}] with ends; adds `d`, and `lane` where it has one. Lanes
 *  are dealt in order. */
export function route(wires, boxes) {
  const taken = { above: 0, below: 0 };
  let bends = 0;
  return wires.map((w) => {
    const forward = w.b.x - w.a.x > 24;
    if (forward && !crossed(w.a, w.b, boxes).length) return { ...w, d: soft(w.a, w.b) };
    const aside = OUT + (bends++ % 6) * 6;
    const first = w.a.x + aside, last = w.b.x - aside;
    const [left, right] = [Math.min(first, last), Math.max(first, last)];
    const y = laneFor(w.a, w.b, boxes, left, right, taken);
    return { ...w, lane: { x: left, y, width: right - left, height: 0 }, d: rounded([w.a, { x: first, y: w.a.y }, { x: first, y }, { x: last, y }, { x: last, y: w.b.y }, w.b]) };
  });
}

export const loose = soft;
