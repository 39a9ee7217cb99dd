// SPDX-License-Identifier: MIT
// The diagram as geometry: boxes, ports with their anchors, wires with their
// ways. Everything that is drawn, hit or walked over by keys comes from here.
import { connectionsOf } from "../model/scenario.js";
import { anchor, measure } from "./measure.js";
import { route } from "./route.js";

export function sizesOf(blocks, expanded) {
  return new Map(blocks.map((b) => [b.unit, measure(b, expanded.has(b.unit))]));
}

export function sceneOf(scenario, blocks, sizes, places) {
  const boxes = blocks.filter((b) => places[b.unit]).map((b) => ({ block: b, size: sizes.get(b.unit), ...places[b.unit],
    width: sizes.get(b.unit).width, height: sizes.get(b.unit).height }));
  const ports = new Map();
  for (const box of boxes)
    for (const [side, list] of [["in", box.size.inputs], ["out", box.size.outputs]])
      list.forEach((p, i) => {
        const at = anchor(box.size, side, i);
        ports.set(key(side, p.ref), { ...p, side, unit: box.block.unit, x: box.x + at.x, y: box.y + at.y });
      });
  const wires = connectionsOf(scenario).map((c) => ({ ...c, a: ports.get(key("out", c.from)), b: ports.get(key("in", c.to)) }))
    .filter((w) => w.a && w.b);
  return { boxes, ports, wires: route(wires, boxes) };
}

export const key = (side, ref) => `${side} ${ref}`;

const AHEAD = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The port a person means by an arrow key: near, and in that direction. */
export function toward(ports, from, arrow) {
  const [dx, dy] = AHEAD[arrow];
  let best = null, least = Infinity;
  for (const p of ports) {
    const ahead = (p.x - from.x) * dx + (p.y - from.y) * dy;
    const aside = Math.abs((p.x - from.x) * dy) + Math.abs((p.y - from.y) * dx);
    if (p === from || ahead <= 1) continue;
    const cost = ahead + 2.5 * aside;
    if (cost < least) { least = cost; best = p; }
  }
  return best;
}

/** Places for blocks that have none: beside what is there. */
export function placeNew(fresh, sizes, boxes) {
  let y = boxes.length ? Math.min(...boxes.map((b) => b.y)) : 24;
  const x = boxes.length ? Math.max(...boxes.map((b) => b.x + b.width)) + 60 : 24;
  return Object.fromEntries(fresh.map((b) => {
    const at = { x, y };
    y += sizes.get(b.unit).height + 28;
    return [b.unit, at];
  }));
}
