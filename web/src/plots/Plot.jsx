// SPDX-License-Identifier: MIT
// One plot: uPlot draws, this keeps it fed, zoomed and labelled.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { useApp } from "../state/app.js";
import { removePlot, setRange } from "../state/plots.js";
import { zoomTo } from "../data/feed.js";
import { isDark } from "../state/theme.js";
import { valueAt } from "../model/compare.js";
import { marks } from "../model/events.js";
import { show } from "../model/number.js";
import { Icon } from "../ui/Icon.jsx";
import { assemble, spansGaps } from "./assemble.js";
import { course } from "./course.js";
import { Chooser } from "./Chooser.jsx";
import { colour, dash, ink, isStepped } from "./style.js";

export const SYNC = "tutti";
const MARKS = 150; // instants of events that are drawn; more are a wall

function axes(units, pen, last) {
  const time = last ? { size: 26 } : { size: 6, ticks: { show: false } }; // the lowest plot has the labels

  const plain = { stroke: pen.text, grid: { stroke: pen.grid, width: 1 }, ticks: { stroke: pen.grid, width: 1, size: 4 }, font: pen.font, gap: 4 };
  const y = units.slice(0, 2).map((u, i) => ({ ...plain, scale: u, side: i ? 1 : 3, grid: { ...plain.grid, show: !i }, size: 56,
    values: (_, ticks) => ticks.map((v) => show(v, 4)), label: u === "1" || u === "boolean" ? " " : u, // a blank one, so that plots line up
    labelSize: 16, labelFont: pen.font, labelGap: 0, space: 24 }));
  return [{ ...plain, ...time, values: (_, ticks) => (last ? ticks.map((v, i) => show(v, 6) + (i === ticks.length - 1 ? " s" : "")) : []) }, ...y];
}

function options(curves, box, pen, on) {
  const units = [...new Set(curves.map((c) => c.scale))];
  return {
    width: box.width, height: box.height, legend: { show: false }, pxAlign: 0, padding: [8, units.length > 1 ? 4 : 22, 0, 0],
    cursor: { sync: { key: SYNC }, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, focus: { prox: 24 } },
    focus: { alpha: 0.35 },
    select: { show: true },
    scales: { x: { time: false, range: (_, lo, hi) => on.xRange(lo, hi) },
      ...Object.fromEntries(units.map((u) => [u, u === "boolean" ? { range: [-0.1, 1.1] } : { range: (_, lo, hi) => soft(lo, hi) }])) },
    axes: axes(units, pen, on.last),
    series: [{}, ...curves.map((c) => ({ scale: c.scale, stroke: c.colour, width: 1.6, dash: c.dash, points: { show: false }, spanGaps: spansGaps(c), paths: course(c.stepped) }))],
    hooks: { drawAxes: [(u) => on.marks(u, pen)], setCursor: [(u) => on.cursor(u.cursor.idx == null ? null : u.posToVal(u.cursor.left, "x"))], setSelect: [(u) => on.select(u)] },
  };
}

function soft(lo, hi) {
  if (lo == null || hi == null) return [0, 1];
  const pad = (hi - lo) * 0.06 || Math.abs(hi) * 0.1 || 1;
  return [lo - pad, hi + pad];
}

/** Curves of a plot: every variable in every run that is shown. */
function useCurves(plot, runs, variableOf, theme) {
  const many = runs.length > 1;
  return useMemo(() => plot.refs.flatMap((ref, i) => runs.map((r, k) => {
    const v = variableOf(ref);
    return { ref, run: r.run, data: r.data, variable: v, stepped: isStepped(v), scale: isStepped(v) && /boolean/i.test(v.type) ? "boolean" : v?.unit ?? "1",
      colour: colour(many ? i * runs.length + k : i, isDark()), dash: dash(k) };
  })), [plot, runs, variableOf, theme, many]);
}

function Readout({ curves, names, t, many }) {
  return (
    <ul class="readout">
      {curves.map((c) => {
        const look = c.data.look(t == null ? null : [t, t]);
        const values = look.values.get(c.ref);
        const value = !values ? null : t == null ? c.data.last(c.ref) : valueAt(look.time, values, t, c.stepped);
        const shown = c.scale === "boolean" && (value === 0 || value === 1) ? String(Boolean(value)) : show(value);
        const unknown = c.data.columns && !c.data.columns.includes(c.ref);
        return (
          <li key={`${c.run.id} ${c.ref}`}>
            <svg width="22" height="8" aria-hidden="true"><line x1="1" x2="21" y1="4" y2="4" stroke={c.colour} stroke-width="2.5" stroke-dasharray={c.dash.join(" ")} /></svg>
            <span>{names.get(c.ref) ?? c.ref}{many && <span class="faint"> {c.run.name}</span>}</span>
            <b>{unknown ? "not recorded" : shown}</b>{!unknown && c.scale !== "1" && c.variable?.unit && <span class="unit">{c.variable.unit}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Upright lines where there are events, behind the curves; the one that was pointed at stands out. */
function drawMarks(u, pen, { curves, pointed }) {
  const { ctx, bbox } = u, ratio = devicePixelRatio;
  const view = [u.scales.x.min, u.scales.x.max];
  const line = (t, colour, width) => {
    const x = u.valToPos(t, "x", true);
    ctx.strokeStyle = colour;
    ctx.lineWidth = width * ratio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  };
  ctx.save();
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const data of new Set(curves.map((c) => c.data)))
    for (const t of marks(data.events, view, MARKS) ?? []) line(t, pen.line, 1);
  ctx.setLineDash([]);
  if (pointed != null && pointed >= view[0] && pointed <= view[1]) line(pointed, pen.accent, 2);
  ctx.restore();
}

export function Plot({ plot, runs, names, variableOf, span, last }) {
  const { theme, range, pointed } = useApp((s) => ({ theme: `${s.theme}${document.documentElement.dataset.theme}`, range: s.range, pointed: s.pointed }));
  const host = useRef();
  const chart = useRef(null);
  const live = useRef({});
  const [t, setT] = useState(null);
  const [, tick] = useState(0);
  const curves = useCurves(plot, runs, variableOf, theme);
  live.current = { range, span, curves, pointed };

  useEffect(() => { // a new chart when what is drawn changes
    const el = host.current;
    if (!curves.length) return undefined;
    const size = () => ({ width: Math.max(80, el.clientWidth), height: Math.max(60, el.clientHeight) });
    const on = {
      last,
      xRange(lo, hi) {
        const { range: r, span: s } = live.current;
        if (r) return r;
        if (s) return s;
        return lo == null ? [0, 1] : lo === hi ? [lo, lo + 1] : [lo, hi];
      },
      cursor: (value) => setT(value),
      marks: (u, pen) => drawMarks(u, pen, live.current),
      select(u) {
        if (u.select.width < 4) return;
        const next = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        setRange(next);
        zoomTo(next);
      },
    };
    const u = new uPlot(options(curves, size(), ink(), on), assemble(curves, live.current.range), el);
    u.over.addEventListener("dblclick", () => setRange(null));
    chart.current = u;
    const watch = new ResizeObserver(() => u.setSize(size()));
    watch.observe(el);
    let frame = 0;
    const redraw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        u.setData(assemble(live.current.curves, live.current.range));
        tick((n) => n + 1);
      });
    };
    const off = [...new Set(curves.map((c) => c.data))].map((d) => d.subscribe(redraw));
    return () => { off.forEach((f) => f()); cancelAnimationFrame(frame); watch.disconnect(); u.destroy(); chart.current = null; };
  }, [curves, last]);
  useEffect(() => { chart.current?.setData(assemble(curves, range)); }, [range, span?.[0], span?.[1]]);
  useEffect(() => { chart.current?.redraw(false); }, [pointed]);

  const keys = (e) => {
    const u = chart.current;
    if (!u || e.target !== e.currentTarget) return;
    const [lo, hi] = [u.scales.x.min, u.scales.x.max];
    const mid = t ?? (lo + hi) / 2;
    const zoom = (f) => { const r = [mid - (mid - lo) * f, mid + (hi - mid) * f]; setRange(r); zoomTo(r); };
    const move = (d) => u.setCursor({ left: u.valToPos(Math.min(hi, Math.max(lo, mid + d * (hi - lo))), "x"), top: 10 });
    if (e.key === "+" || e.key === "=") zoom(0.5);
    else if (e.key === "-") zoom(2);
    else if (e.key === "0" || e.key === "Escape") setRange(null);
    else if (e.key === "ArrowLeft") move(e.shiftKey ? -0.1 : -0.01);
    else if (e.key === "ArrowRight") move(e.shiftKey ? 0.1 : 0.01);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <figure class="plot">
      <figcaption>
        <Readout curves={curves} names={names} t={t} many={runs.length > 1} />
        {t != null && <span class="at">t = {show(t)} s</span>}
        <Chooser plot={plot} />
        <button type="button" class="tool" aria-label="remove this plot" title="Remove this plot" onClick={() => removePlot(plot.id)}><Icon name="close" size={14} /></button>
      </figcaption>
      <div class="chart" ref={host} tabIndex={0} role="img" data-points={curves.reduce((n, c) => n + c.data.time.length, 0)} onKeyDown={keys}
        aria-label={`plot of ${plot.refs.map((r) => names.get(r) ?? r).join(", ") || "nothing yet"}; arrow keys move the cursor, plus and minus zoom, 0 shows all`}>
        {!plot.refs.length && <p class="empty">Choose variables for this plot.</p>}
      </div>
    </figure>
  );
}
