// SPDX-License-Identifier: MIT
// Step sizes over time, and the attempts that were rejected.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { useApp } from "../state/app.js";
import { show } from "../model/number.js";
import { colour, ink } from "./style.js";
import { cursorOf, takeBox, watchGestures } from "./gestures.js";

/** Any rejection, or steps that are not all of one size; the last may be short. */
export function varies(steps) {
  if (!steps?.h.length) return false;
  const sizes = steps.h.slice(0, -1);
  return steps.accepted.includes(false) || Math.max(...sizes) > Math.min(...sizes) * 1.000001;
}

const decades = (_, ticks) => ticks.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? v : null));

/** Accepted and rejected attempts, as curves of their own. */
const table = (s) => [s.time, s.h.map((h, i) => (s.accepted[i] ? h : null)), s.h.map((h, i) => (s.accepted[i] ? null : h))];

export function StepsPlot({ data, run, span }) {
  const { dark, range } = useApp((s) => ({ dark: s.dark, range: s.range }));
  const host = useRef();
  const chart = useRef(null);
  const [idx, setIdx] = useState(null);
  const live = useRef({});
  live.current = { range, span };
  const steps = data.steps;
  useEffect(() => {
    const el = host.current, pen = ink();
    const plain = { stroke: pen.text, grid: { stroke: pen.grid, width: 1 }, ticks: { stroke: pen.grid, width: 1, size: 4 }, font: pen.font, gap: 4 };
    const size = () => ({ width: Math.max(80, el.clientWidth), height: Math.max(60, el.clientHeight) });
    const u = new uPlot({ ...size(), legend: { show: false }, pxAlign: 0, padding: [8, 22, 0, 0],
      cursor: cursorOf(false),
      scales: { x: { time: false, range: (_, lo, hi) => live.current.range ?? live.current.span ?? [lo ?? 0, hi ?? 1] }, y: { distr: 3 } },
      axes: [{ ...plain, size: 26, values: (_, ticks) => ticks.map((v, i) => show(v, 6) + (i === ticks.length - 1 ? " s" : "")) }, { ...plain, size: 56, label: "s", labelSize: 16, labelFont: pen.font, labelGap: 0, filter: decades, values: (_, ticks) => ticks.map((v) => (v == null ? "" : show(v, 2))),
        grid: { ...plain.grid, filter: decades }, ticks: { ...plain.ticks, filter: decades } }],
      series: [{}, { stroke: colour(0, dark), width: 1.4, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, spanGaps: true },
        { stroke: pen.bad, width: 0, paths: () => null, points: { show: true, size: 6, fill: pen.bad, stroke: pen.bad } }],
      hooks: { setCursor: [(c) => setIdx(c.cursor.idx ?? null)], setSelect: [(c) => takeBox(c)] } }, table(steps), el);
    watchGestures(u);
    chart.current = u;
    const watch = new ResizeObserver(() => u.setSize(size()));
    watch.observe(el);
    return () => { watch.disconnect(); u.destroy(); };
  }, [data, dark]);
  useEffect(() => { chart.current?.setData(table(steps)); }, [steps, range, span?.[0], span?.[1]]);
  const rejected = steps.accepted.filter((a) => !a).length;
  const at = idx != null && idx < steps.time.length ? idx : null;
  return (
    <figure class="plot steps">
      <figcaption>
        <ul class="readout">
          <li><b>Step size</b><span>{run.name}</span><span class="faint">{steps.h.length} attempts, {rejected} rejected</span></li>
          {at != null && <li><span>t = {show(steps.time[at])} s</span><b>{show(steps.h[at])} s</b><span class={steps.accepted[at] ? "faint" : "wrong"}>{steps.accepted[at] ? "" : "rejected: "}{steps.reason[at] ?? ""}</span></li>}
        </ul>
      </figcaption>
      <div class="chart" ref={host} role="img" aria-label={`step sizes of ${run.name}: ${steps.h.length} attempts, ${rejected} rejected`} />
    </figure>
  );
}
