// SPDX-License-Identifier: MIT
// Which variables go into which plot when none was chosen: those of one unit
// of measure together, booleans by themselves.
import { family } from "./variables.js";

const MOST_PLOTS = 3, MOST_CURVES = 5;

/** recorded: [{ref, variable}] -> [{id, refs}] */
export function autoPlots(recorded) {
  const groups = new Map();
  for (const { ref, variable } of recorded) {
    const kind = family(variable?.type);
    if (kind === "text" || kind === "binary" || kind === "clock") continue;
    const key = kind === "boolean" ? "boolean" : variable?.unit ?? "1";
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(ref);
  }
  const plain = [...groups].filter(([k]) => k !== "boolean").map(([, refs]) => refs);
  const all = groups.has("boolean") ? [...plain.slice(0, MOST_PLOTS - 1), groups.get("boolean")] : plain.slice(0, MOST_PLOTS);
  return all.map((refs, i) => ({ id: `auto${i}`, refs: refs.slice(0, MOST_CURVES) }));
}

export const allRefs = (plots) => [...new Set(plots.flatMap((p) => [...p.refs, ...(p.x ? [p.x] : [])]))];

/** Over another variable; undefined: over time. */
export const setOver = (plots, id, x) => plots.map((p) => { const { x: _, ...rest } = p; return p.id !== id ? p : x ? { ...rest, x } : rest; });

export function toggleRef(plots, id, ref) {
  return plots.map((p) => (p.id !== id ? p : { ...p, refs: p.refs.includes(ref) ? p.refs.filter((r) => r !== ref) : [...p.refs, ref] }));
}
