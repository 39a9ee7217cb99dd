// SPDX-License-Identifier: MIT
// One plot: uPlot draws, this keeps it fed, zoomed and labelled.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { app, useApp } from "../state/app.js";
import { marks } from "../model/events.js";
import { show } from "../model/number.js";
import { assemble, spansGaps } from "./assemble.js";
import { Caption } from "./Caption.jsx";
import { course } from "./course.js";
import { bandOf, keyOf, useCurves } from "./curves.js";
import { cursorOf, look, takeBox, watchGestures } from "./gestures.js";
import { ink } from "./style.js";
import { drawing } from "./svg.js";

const MARKS = 150; // instants of events that are drawn; more are a wall

function axes(units, pen, last) {
  const time = last ? { size: 26 } : { size: 6, ticks: { show: false } }; // the lowest plot has the labels

  const plain = { stroke: pen.text, grid: { stroke: pen.grid, width: 1 }, ticks: { stroke: pen.grid, width: 1, size: 4 }, font: pen.font, gap: 4 };
  const y = units.slice(0, 2).map((u, i) => ({ ...plain, scale: u, side: i ? 1 : 3, grid: { ...plain.grid, show: !i }, size: 56,
    values: (_, ticks) => ticks.map((v) => show(v, 4)), label: u === "1" || u === "boolean" ? " " : u, // a blank one, so that plots line up
    labelSize: 16, labelFont: pen.font, labelGap: 0, space: 24 }));
  return [{ ...plain, ...time, values: (_, ticks) => (last ? ticks.map((v, i) => show(v, 6) + (i === ticks.length - 1 ? " s" : "")) : []) }, ...y];
}

function options(curves, bands, box, pen, on) {
  const units = [...new Set(curves.map((c) => c.scale))];
  const line = (c) => ({ scale: c.scale, stroke: c.colour, width: 1.6, dash: c.dash, show: on.isShown(c), points: { show: false }, spanGaps: spansGaps(c), paths: course(c.stepped) });
  const edge = (c) => ({ scale: c.scale, width: 0, points: { show: false }, paths: course(c.stepped) });
  return {
    width: box.width, height: box.height, legend: { show: false }, pxAlign: 0, padding: [8, units.length > 1 ? 4 : 22, 0, 0],
    cursor: { ...cursorOf(true), points: { size: 6 }, focus: { prox: 24 } },
    focus: { alpha: 0.35 },
    select: { show: true },
    scales: { x: { time: false, range: (_, lo, hi) => on.xRange(lo, hi) },
      ...Object.fromEntries(units.map((u) => [u, { range: (_, lo, hi) => on.yRange(u, lo, hi) }])) },
    axes: axes(units, pen, on.last),
    bands: bands.flatMap((_, i) => (i % 2 ? [] : [{ series: [curves.length + i + 2, curves.length + i + 1], fill: `${pen.accent}26` }])),
    series: [{}, ...curves.map(line), ...bands.map(edge)],
    hooks: { drawAxes: [(u) => on.marks(u, pen)], setCursor: [(u) => on.cursor(u.cursor.idx == null ? null : u.posToVal(u.cursor.left, "x"))], setSelect: [(u) => on.select(u)] },
  };
}

function soft(lo, hi) {
  if (lo == null || hi == null) return [0, 1];
  const pad = (hi - lo) * 0.06 || Math.abs(hi) * 0.1 || 1;
  return [lo - pad, hi + pad];
}

/** Upright lines where there are events, behind the curves; what was pointed at and the two cursors stand out. */
function drawMarks(u, pen, { curves, pointed, cursors }) {
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
    return x;
  };
  const isIn = (t) => t != null && t >= view[0] && t <= view[1];
  ctx.save();
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const data of new Set(curves.map((c) => c.data)))
    for (const t of marks(data.events, view, MARKS) ?? []) line(t, pen.line, 1);
  ctx.setLineDash([]);
  if (isIn(pointed)) line(pointed, pen.accent, 2);
  ctx.fillStyle = pen.accent;
  ctx.font = pen.font.replace(/^(\d+)px/, (_, n) => `bold ${n * ratio}px`);
  ["A", "B"].forEach((name, i) => { if (isIn(cursors?.[i])) ctx.fillText(name, line(cursors[i], pen.accent, 1.5) + 4 * ratio, bbox.top + 10 * ratio); });
  ctx.restore();
}

/** The cursor nearest to where was pressed goes there. */
function moveCursor(t) {
  app.set(({ cursors }) => (cursors ? { cursors: Math.abs(cursors[0] - t) <= Math.abs(cursors[1] - t) ? [t, cursors[1]] : [cursors[0], t] } : {}));
}

/** What is on the screen, as a drawing of its own. */
function picture(u, curves, names, many, isShown) {
  const [time, ...columns] = u.data;
  const seen = curves.map((c, i) => ({ ...c, x: time, y: columns[i], name: `${names.get(c.ref) ?? c.ref}${many ? `, ${c.run.name}` : ""}${c.scale === "1" || c.scale === "boolean" ? "" : ` (${c.scale})`}` })).filter(isShown);
  const scale = seen[0]?.scale ?? curves[0].scale;
  return drawing({ width: 900, height: 360, pen: ink(), legend: true, curves: seen.filter((c) => c.scale === scale),
    x: { range: [u.scales.x.min, u.scales.x.max], label: "time (s)" }, y: { range: [u.scales[scale].min, u.scales[scale].max], label: scale === "1" || scale === "boolean" ? "" : scale } });
}

export function Plot({ plot, runs, names, variableOf, span, last }) {
  const { dark, range, pointed, cursors, compare } = useApp((s) => ({ dark: s.dark, range: s.range, pointed: s.pointed, cursors: s.cursors, compare: s.compare }));
  const host = useRef();
  const chart = useRef(null);
  const live = useRef({});
  const across = useRef({}); // scale -> [low, high] it was zoomed to
  const [t, setT] = useState(null);
  const [hidden, setHidden] = useState(new Set());
  const [, tick] = useState(0);
  const curves = useCurves(plot, runs, variableOf, dark, compare);
  const bands = useMemo(() => bandOf(curves, compare), [curves]);
  const all = useMemo(() => [...curves, ...bands], [curves]);
  const isShown = (c) => !live.current.hidden.has(keyOf(c));
  live.current = { range, span, curves, all, pointed, cursors, hidden };
  const refill = () => chart.current?.setData(assemble(live.current.all, live.current.range));

  useEffect(() => { // a new chart when what is drawn changes
    const el = host.current;
    if (!curves.length) return undefined;
    const size = () => ({ width: Math.max(80, el.clientWidth), height: Math.max(60, el.clientHeight) });
    const y = { set(views) { across.current = views ? { ...across.current, ...views } : {}; refill(); } };
    const on = {
      last, isShown,
      xRange(lo, hi) {
        const { range: r, span: s } = live.current;
        if (r) return r;
        if (s) return s;
        return lo == null ? [0, 1] : lo === hi ? [lo, lo + 1] : [lo, hi];
      },
      yRange: (scale, lo, hi) => across.current[scale] ?? (scale === "boolean" ? [-0.1, 1.1] : soft(lo, hi)),
      cursor: (value) => setT(value),
      marks: (u, pen) => drawMarks(u, pen, live.current),
      select: (u) => takeBox(u, y),
    };
    const u = new uPlot(options(curves, bands, size(), ink(), on), assemble(all, live.current.range), el);
    watchGestures(u, y);
    u.over.addEventListener("click", (e) => moveCursor(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, "x")));
    chart.current = u;
    const watch = new ResizeObserver(() => u.setSize(size()));
    watch.observe(el);
    let frame = 0;
    const redraw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        refill();
        tick((n) => n + 1);
      });
    };
    const off = [...new Set(curves.map((c) => c.data))].map((d) => d.subscribe(redraw));
    return () => { off.forEach((f) => f()); cancelAnimationFrame(frame); watch.disconnect(); u.destroy(); chart.current = null; };
  }, [curves, last]);
  useEffect(refill, [range, span?.[0], span?.[1]]);
  useEffect(() => { chart.current?.redraw(false); }, [pointed, cursors]);
  useEffect(() => { curves.forEach((c, i) => { if (chart.current?.series[i + 1].show !== isShown(c)) chart.current?.setSeries(i + 1, { show: isShown(c) }); }); }, [hidden]);

  const toggle = (c) => setHidden((old) => { const next = new Set(old); if (!next.delete(keyOf(c))) next.add(keyOf(c)); return next; });
  const keys = (e) => {
    const u = chart.current;
    if (!u || e.target !== e.currentTarget) return;
    const [lo, hi] = [u.scales.x.min, u.scales.x.max];
    const mid = t ?? (lo + hi) / 2;
    const zoom = (f) => look([mid - (mid - lo) * f, mid + (hi - mid) * f]);
    const zoomAcross = (f) => {
      for (const k of Object.keys(u.scales)) if (k !== "x") { const { min, max } = u.scales[k], m = (min + max) / 2; across.current[k] = [m - (m - min) * f, m + (max - m) * f]; }
      refill();
    };
    const move = (d) => u.setCursor({ left: u.valToPos(Math.min(hi, Math.max(lo, mid + d * (hi - lo))), "x"), top: 10 });
    const act = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), PageUp: () => zoomAcross(0.5), PageDown: () => zoomAcross(2),
      0: () => { across.current = {}; look(null); refill(); }, ArrowLeft: () => move(e.shiftKey ? -0.1 : -0.01), ArrowRight: () => move(e.shiftKey ? 0.1 : 0.01),
      a: () => app.set((s) => ({ cursors: [mid, s.cursors?.[1] ?? hi] })), b: () => app.set((s) => ({ cursors: [s.cursors?.[0] ?? lo, mid] })) }[e.key === "Escape" ? "0" : e.key];
    if (!act || e.ctrlKey || e.metaKey) return;
    act();
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <figure class="plot">
      <Caption plot={plot} curves={curves} names={names} t={t} cursors={cursors} many={runs.length > 1} gaps={compare.gaps && runs.length > 1} hidden={hidden} onToggle={toggle}
        picture={curves.length ? () => picture(chart.current, curves, names, runs.length > 1, isShown) : null} />
      <div class="chart" ref={host} tabIndex={0} role="img" data-points={curves.reduce((n, c) => n + c.data.time.length, 0)} onKeyDown={keys}
        aria-label={`plot of ${plot.refs.map((r) => names.get(r) ?? r).join(", ") || "nothing yet"}; arrow keys move the cursor, plus and minus zoom, page up and down zoom across, 0 shows all, A and B set cursors`}>
        {!plot.refs.length && <p class="empty">Choose variables for this plot.</p>}
      </div>
    </figure>
  );
}
