// SPDX-License-Identifier: MIT
// Places for blocks without a place: dagre's, from left to right.
import { Graph, layout as arrange } from "@dagrejs/dagre";
import { parseRef } from "../model/ref.js";

/** blocks, sizes: unit -> {width, height}; returns unit -> {x, y} (corners). */
export function layout(blocks, sizes, wires) {
  const g = new Graph(); // several wires between two blocks are one heavy edge
  g.setGraph({ rankdir: "LR", nodesep: 36, ranksep: 64, edgesep: 16, marginx: 24, marginy: 24 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const b of blocks) g.setNode(b.unit, { ...sizes.get(b.unit) });
  for (const w of wires) {
    const from = parseRef(w.from)?.unit, to = parseRef(w.to)?.unit;
    if (g.hasNode(from) && g.hasNode(to) && from !== to) g.setEdge(from, to, { weight: 1 + (g.edge(from, to)?.weight ?? 0) });
  }
  arrange(g);
  return new Map(blocks.map((b) => {
    const n = g.node(b.unit);
    return [b.unit, { x: Math.round(n.x - n.width / 2), y: Math.round(n.y - n.height / 2) }];
  }));
}

/** The rectangle around all blocks, and lanes of wires. */
export function bounds({ boxes, wires }) {
  const all = [...boxes, ...wires.filter((w) => w.lane).map((w) => w.lane)];
  if (!all.length) return { x: 0, y: 0, width: 400, height: 200 };
  const x = Math.min(...all.map((b) => b.x)), y = Math.min(...all.map((b) => b.y));
  return { x, y, width: Math.max(...all.map((b) => b.x + b.width)) - x, height: Math.max(...all.map((b) => b.y + b.height)) - y };
}
