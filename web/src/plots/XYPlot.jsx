// SPDX-License-Identifier: MIT
// A plot over another variable than time.
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { valueAt } from "../model/compare.js";
import { show } from "../model/number.js";
import { Chart } from "../ui/Chart.jsx";
import { Caption } from "./Caption.jsx";
import { keyOf, useCurves } from "./curves.js";
import { ink, isStepped } from "./style.js";
import { drawing, rangeOf } from "./svg.js";

const WHOLE = { gaps: false, tolerance: null };

/** Values of both where the run has rows, of the time that is shown. */
function orbit(c, over, range) {
  const seen = c.data.look(range), ys = seen.values.get(c.ref), xs = seen.values.get(over);
  if (!xs || !ys) return { ...c, x: [], y: [] };
  const rows = seen.time.map((t, i) => i).filter((i) => !range || (seen.time[i] >= range[0] && seen.time[i] <= range[1]));
  return { ...c, x: rows.map((i) => xs[i]), y: rows.map((i) => ys[i]), stepped: false };
}

export function XYPlot({ plot, runs, names, variableOf }) {
  const { dark, range, cursors } = useApp((s) => ({ dark: s.dark, range: s.range, cursors: s.cursors }));
  const [hidden, setHidden] = useState(new Set());
  const [, tick] = useState(0);
  const curves = useCurves(plot, runs, variableOf, dark, WHOLE);
  useEffect(() => { const off = runs.map((r) => r.data.subscribe(() => tick((n) => n + 1))); return () => off.forEach((f) => f()); }, [runs]);
  const seen = curves.map((c) => orbit(c, plot.x, range)).filter((c) => !hidden.has(keyOf(c)));
  const unit = (ref) => { const u = variableOf(ref)?.unit; return `${names.get(ref) ?? ref}${u ? ` (${u})` : ""}`; };
  const at = (t) => curves.map((c) => { const s = c.data.look([t, t]), v = (ref) => valueAt(s.time, s.values.get(ref) ?? [], t, isStepped(variableOf(ref))); return { ...c, x: [v(plot.x)], y: [v(c.ref)], dots: 4 }; });
  const what = { curves: [...seen, ...(cursors ?? []).flatMap(at)], x: { range: rangeOf(seen.flatMap((c) => c.x)), label: unit(plot.x) },
    y: { range: rangeOf(seen.flatMap((c) => c.y)), label: plot.refs.length === 1 ? unit(plot.refs[0]) : "" } };
  const toggle = (c) => setHidden((old) => { const next = new Set(old); if (!next.delete(keyOf(c))) next.add(keyOf(c)); return next; });
  return (
    <figure class="plot xy">
      <Caption plot={plot} curves={curves} names={names} t={null} cursors={cursors} many={runs.length > 1} hidden={hidden} onToggle={toggle}
        picture={() => drawing({ width: 600, height: 480, pen: ink(), legend: true, ...what, curves: what.curves.map((c) => ({ ...c, name: c.dots ? null : names.get(c.ref) })) })}>
        <span class="at">over {names.get(plot.x) ?? plot.x}{range ? `, ${show(range[0])} to ${show(range[1])} s` : ""}</span>
      </Caption>
      <Chart class="chart svg-chart" what={what} data-points={seen.reduce((n, c) => n + c.x.length, 0)} label={`plot of ${plot.refs.map((r) => names.get(r) ?? r).join(", ")} over ${names.get(plot.x) ?? plot.x}`} />
    </figure>
  );
}
