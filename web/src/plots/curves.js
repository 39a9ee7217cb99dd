// SPDX-License-Identifier: MIT
// Which curves a plot has: every variable in every run that is shown, or how far the
// other runs are from the first; and the band of what is tolerated.
import { useMemo } from "preact/hooks";
import { edge, gap } from "../data/derived.js";
import { allowance } from "../model/compare.js";
import { colour, dash, isStepped } from "./style.js";

export const keyOf = (c) => `${c.run.id} ${c.ref}`;

export function useCurves(plot, runs, variableOf, dark, compare) {
  const many = runs.length > 1, gaps = many && compare.gaps;
  return useMemo(() => {
    const stepped = (ref) => isStepped(variableOf(ref));
    const tables = runs.map((r, k) => ({ run: r.run, k, data: gaps && k ? gap(runs[0].data, r.data, stepped) : r.data }));
    return plot.refs.flatMap((ref, i) => tables.slice(gaps ? 1 : 0).map(({ run, data, k }) => {
      const v = variableOf(ref);
      return { ref, run, data, variable: v, stepped: stepped(ref), scale: stepped(ref) && /boolean/i.test(v.type) && !gaps ? "boolean" : v?.unit ?? "1",
        colour: colour(many ? i * runs.length + k : i, dark), dash: dash(k), base: runs[0].data };
    }));
  }, [plot, runs, variableOf, dark, many, compare]);
}

/** Two edges for each variable that is compared: below and above. */
export function bandOf(curves, { gaps, tolerance }) {
  if (tolerance == null || new Set(curves.map((c) => c.run.id)).size + (gaps ? 1 : 0) < 2) return [];
  const seen = new Map(curves.filter((c) => c.scale !== "boolean").map((c) => [c.ref, c]));
  return [...seen.values()].flatMap((c) => [-1, 1].map((side) => ({ ...c, data: edge(c.base, allowance(tolerance), side, !gaps) })));
}
