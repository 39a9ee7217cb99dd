// SPDX-License-Identifier: MIT
// How a curve is drawn: lines or steps; stems where values that step are there at
// single instants only, as those of a clock.
import uPlot from "uplot";
import { isSparse } from "./assemble.js";

const stepped = uPlot.paths.stepped({ align: 1 });
const linear = uPlot.paths.linear();
const DOT = 2.5;

function stems(u, seriesIdx, i0, i1) {
  const [time, values] = [u.data[0], u.data[seriesIdx]];
  const scale = u.series[seriesIdx].scale;
  const { min, max } = u.scales[scale];
  const base = u.valToPos(Math.min(max, Math.max(min, 0)), scale, true);
  const stroke = new Path2D(), fill = new Path2D();
  const r = DOT * devicePixelRatio;
  for (let i = i0; i <= i1; i += 1) {
    if (values[i] == null) continue;
    const x = u.valToPos(time[i], "x", true), y = u.valToPos(values[i], scale, true);
    stroke.moveTo(x, base);
    stroke.lineTo(x, y);
    stroke.moveTo(x + r, y);
    stroke.arc(x, y, r, 0, 2 * Math.PI);
  }
  return { stroke, fill, clip: null, band: null, gaps: null, flags: 1 };
}

/** The path of a series, for uPlot. */
export const course = (steps) => (u, seriesIdx, i0, i1) =>
  (!steps ? linear : isSparse(u.data[0], u.data[seriesIdx]) ? stems : stepped)(u, seriesIdx, i0, i1);
