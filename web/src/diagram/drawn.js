// SPDX-License-Identifier: MIT
// Places that a file has for blocks, "diagram": corners [x1, y1, x2, y2], as a
// tool drew them in its own sizes; and ours, to be written into one.

const ofFile = (scenario, unit) => {
  const at = scenario.diagram?.[unit];
  return Array.isArray(at) && at.length === 4 && at.every(Number.isFinite) ? at : null;
};

/** unit -> {x, y} of blocks the file has a place for. Blocks that are larger here
 *  than they were there move apart, each around its middle: what did not
 *  overlap there does not here. */
export function drawnPlaces(scenario, blocks, sizes) {
  const drawn = blocks.map((b) => [b.unit, ofFile(scenario, b.unit)]).filter(([, at]) => at);
  const grow = drawn.reduce((k, [unit, [x1, y1, x2, y2]]) => {
    const { width, height } = sizes.get(unit);
    return Math.max(k, x2 > x1 ? width / (x2 - x1) : 1, y2 > y1 ? height / (y2 - y1) : 1);
  }, 1);
  return Object.fromEntries(drawn.map(([unit, [x1, y1, x2, y2]]) => {
    const { width, height } = sizes.get(unit);
    return [unit, { x: grow * (x1 + x2) / 2 - width / 2, y: grow * (y1 + y2) / 2 - height / 2 }];
  }));
}

/** The scenario with the places blocks have here; those of others stay. */
export function withPlaces(scenario, blocks, sizes, places) {
  const here = blocks.filter((b) => places[b.unit]).map((b) => {
    const { x, y } = places[b.unit], { width, height } = sizes.get(b.unit);
    return [b.unit, [x, y, x + width, y + height]];
  });
  const same = here.every(([unit, at]) => at.every((n, i) => n === scenario.diagram?.[unit]?.[i]));
  return same ? scenario : { ...scenario, diagram: Object.fromEntries(here) };
}
