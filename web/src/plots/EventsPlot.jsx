// SPDX-License-Identifier: MIT
// Events over time: a row for each output that has some, a stem for each event.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { useApp } from "../state/app.js";
import { fetchEventsIn } from "../data/feed.js";
import { lastBefore, shown as shownValue, signalOf, signals } from "../model/events.js";
import { count, show } from "../model/number.js";
import { namesOf } from "../state/short.js";
import { colour, ink } from "./style.js";
import { cursorOf, takeBox, watchGestures } from "./gestures.js";

const ROWS = 12; // outputs
const HALF = 0.36; // of a row: how far a stem goes up and down

/** [times, row of the first output or null, …]; rows count from the top. */
export function rowsOf(events, names) {
  const row = new Map(names.map((n, i) => [n, i]));
  const data = names.map(() => new Array(events.time.length).fill(null));
  for (let i = 0; i < events.time.length; i += 1) {
    const k = row.get(signalOf(events, i));
    if (k !== undefined) data[k][i] = names.length - 1 - k;
  }
  return [events.time, ...data];
}

function stems(u, idx, i0, i1) {
  const stroke = new Path2D(), values = u.data[idx];
  for (let i = i0; i <= i1; i += 1) {
    if (values[i] == null) continue;
    const x = u.valToPos(u.data[0][i], "x", true);
    stroke.moveTo(x, u.valToPos(values[i] - HALF, "y", true));
    stroke.lineTo(x, u.valToPos(values[i] + HALF, "y", true));
  }
  return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 };
}

/** Values beside their stems, where there is room until the next one. */
function label(u, events, pen) {
  const { ctx } = u, ratio = devicePixelRatio;
  ctx.save();
  ctx.font = pen.font.replace(/^(\d+)px/, (_, n) => `${n * ratio}px`);
  ctx.fillStyle = pen.text;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const right = u.bbox.left + u.bbox.width;
  for (let s = 1; s < u.data.length; s += 1) {
    let end = right;
    for (let i = u.data[0].length - 1; i >= 0; i -= 1) {
      if (u.data[s][i] == null) continue;
      const x = u.valToPos(u.data[0][i], "x", true);
      const text = shownValue(events.value[i], (v) => show(v, 4));
      if (x >= u.bbox.left && x <= right && ctx.measureText(text).width + 10 * ratio < end - x)
        ctx.fillText(text, x + 4 * ratio, u.valToPos(u.data[s][i], "y", true));
      end = x;
    }
  }
  ctx.restore();
}

/** The instant that was pointed at in the list. */
function point(u, t, pen) {
  if (t == null || t < u.scales.x.min || t > u.scales.x.max) return;
  const { ctx, bbox } = u, x = u.valToPos(t, "x", true), w = 8 * devicePixelRatio;
  ctx.save();
  ctx.globalAlpha = 0.18;
  ctx.fillStyle = pen.accent;
  ctx.fillRect(x - w / 2, bbox.top, w, bbox.height);
  ctx.restore();
}

export function EventsPlot({ data, run, span, last }) {
  const { dark, range, pointed } = useApp((s) => ({ dark: s.dark, range: s.range, pointed: s.pointed }));
  const host = useRef();
  const chart = useRef(null);
  const [t, setT] = useState(null);
  const live = useRef({});
  const events = data.events;
  const all = useMemo(() => signals(events), [events]);
  const names = all.slice(0, ROWS);
  const short = namesOf(all);
  live.current = { range, span, events, names, pointed };
  useEffect(() => {
    const el = host.current, pen = ink();
    const plain = { stroke: pen.text, grid: { stroke: pen.grid, width: 1 }, ticks: { stroke: pen.grid, width: 1, size: 4 }, font: pen.font, gap: 4 };
    const size = () => ({ width: Math.max(80, el.clientWidth), height: Math.max(40, el.clientHeight) });
    const u = new uPlot({ ...size(), legend: { show: false }, pxAlign: 0, padding: [4, 22, 0, 0],
      cursor: { ...cursorOf(false), y: false, points: { show: false } },
      scales: { x: { time: false, range: (_, lo, hi) => live.current.range ?? live.current.span ?? (lo === hi ? [(lo ?? 0) - 1, (hi ?? 0) + 1] : [lo, hi]) },
        y: { range: () => [-0.5, live.current.names.length - 0.5] } },
      axes: [{ ...plain, ...(last ? { size: 26 } : { size: 6, ticks: { show: false } }), values: (_, ticks) => (last ? ticks.map((v, i) => show(v, 6) + (i === ticks.length - 1 ? " s" : "")) : []) },
        { ...plain, scale: "y", size: 56, label: " ", labelSize: 16, labelFont: pen.font, labelGap: 0, grid: { show: false }, ticks: { show: false }, values: () => [] }],
      series: [{}, ...names.map((_, i) => ({ scale: "y", stroke: colour(i, dark), width: 2, paths: stems, points: { show: false } }))],
      hooks: { draw: [(c) => label(c, live.current.events, pen)], drawAxes: [(c) => point(c, live.current.pointed, pen)], setCursor: [(c) => setT(c.cursor.left >= 0 ? c.posToVal(c.cursor.left, "x") : null)], setSelect: [(c) => takeBox(c)] } }, rowsOf(events, names), el);
    watchGestures(u);
    chart.current = u;
    const watch = new ResizeObserver(() => u.setSize(size()));
    watch.observe(el);
    return () => { watch.disconnect(); u.destroy(); };
  }, [data, dark, names.join(" "), last]);
  useEffect(() => { chart.current?.setData(rowsOf(events, names)); }, [events, range, span?.[0], span?.[1]]);
  useEffect(() => { chart.current?.redraw(false); }, [pointed]);
  useEffect(() => { fetchEventsIn(data.n, range); }, [range, data.n]);
  const missing = events.matching - events.time.length;
  return (
    <figure class="plot events" style={{ "--rows": names.length }}>
      <figcaption>
        <ul class="readout">
          <li><b>Events</b><span class="faint">{run.name}</span></li>
          {names.map((n, i) => {
            const at = t == null ? -1 : lastBefore(events, n, t);
            return (
              <li key={n}>
                <svg width="10" height="12" aria-hidden="true"><line x1="5" x2="5" y1="1" y2="11" stroke={colour(i, dark)} stroke-width="2.5" /></svg>
                <span>{short.get(n) ?? n}</span>{at >= 0 && <b>{shownValue(events.value[at], show)}</b>}
              </li>
            );
          })}
          {all.length > ROWS && <li class="faint">and {count(all.length - ROWS, "more output")}</li>}
          {missing > 0 && <li class="faint">the first {events.time.length} of {events.matching}: zoom in for others</li>}
        </ul>
        {t != null && <span class="at">t = {show(t)} s</span>}
      </figcaption>
      <div class="chart" ref={host} role="img" data-events={events.time.length} aria-label={`events of ${run.name}: ${events.total} of ${count(all.length, "output")}`} />
    </figure>
  );
}
