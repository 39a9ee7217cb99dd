// SPDX-License-Identifier: MIT
// A chart as SVG: for files, and where what is drawn is not over time. Colours stand
// in attributes, so that the picture is the same elsewhere.
import { show } from "../model/number.js";

const EDGE = { left: 64, right: 16, top: 10, bottom: 40 };
const LETTER = 6.2; // px, about

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[c]);
const finite = (v) => v != null && Number.isFinite(v);

/** Round numbers in a range, about so many. */
export function ticks([lo, hi], about) {
  const raw = (hi - lo) / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  const from = Math.ceil(lo / step - 1e-9), found = [];
  for (let k = from; k * step <= hi + step * 1e-9; k += 1) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** Round numbers in a range, as far apart as their ratios. */
export function decades([lo, hi]) {
  const from = Math.ceil(Math.log10(lo) - 1e-9), to = Math.floor(Math.log10(hi) + 1e-9), every = Math.ceil((to - from + 1) / 7) || 1;
  const found = [];
  for (let k = from; k <= to; k += every) found.push(10 ** k);
  if (to - from >= 1) return found;
  for (let k = Math.floor(Math.log10(lo)); found.length < 12 && 10 ** k <= hi; k += 1) // within a decade or two: 1, 2, 5
    for (const v of [2, 5]) if (v * 10 ** k >= lo && v * 10 ** k <= hi) found.push(v * 10 ** k);
  return found.length ? found.sort((a, b) => a - b) : [lo];
}

/** The range of values, a little wider; a single one gets room too. */
export function rangeOf(values, log = false) {
  const all = values.filter((v) => finite(v) && (!log || v > 0));
  let lo = Infinity, hi = -Infinity;
  for (const v of all) { lo = Math.min(lo, v); hi = Math.max(hi, v); }
  if (!all.length) return log ? [0.1, 1] : [0, 1];
  if (log) return lo === hi ? [lo / 2, hi * 2] : [lo / 1.3, hi * 1.3];
  const pad = (hi - lo) * 0.05 || Math.abs(hi) * 0.1 || 1;
  return [lo - pad, hi + pad];
}

function axisOf({ range, log, label }, from, to) {
  const f = log ? Math.log10 : (v) => v, [a, b] = range.map(f);
  return { label, at: (v) => from + ((f(v) - a) / (b - a || 1)) * (to - from), ticks: log ? decades(range) : ticks(range, Math.max(2, Math.abs(to - from) / (to > from ? 90 : 40))) };
}

function path(curve, x, y) {
  let d = "", before = null;
  curve.x.forEach((v, i) => {
    const w = curve.y[i];
    if (!finite(v) || !finite(w)) { if (w === null || !finite(v)) before = null; return; }
    const [px, py] = [x.at(v), y.at(w)].map((n) => n.toFixed(1));
    if (!Number.isFinite(Number(px)) || !Number.isFinite(Number(py))) return;
    d += before === null ? `M${px} ${py}` : curve.stepped ? `H${px}V${py}` : `L${px} ${py}`;
    before = py;
  });
  return d;
}

let drawings = 0; // names of what one refers to are its own

/** {width, height, pen, x: {range, label, log}, y: the same, curves: [{x, y, colour, dash, stepped, dots, name}],
 *  lines: [{x or y, colour}], band: {x, low, high}} -> SVG as text */
export function drawing({ width, height, pen, x: xs, y: ys, curves, lines = [], band = null, legend = false }) {
  const head = legend ? 20 : 0, inside = `inside${++drawings}`;
  const box = { left: EDGE.left, right: width - EDGE.right, top: EDGE.top + head, bottom: height - EDGE.bottom };
  const x = axisOf(xs, box.left, box.right), y = axisOf(ys, box.bottom, box.top);
  const text = (px, py, words, more = "") => `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" fill="${pen.text}" ${more}>${escape(words)}</text>`;
  const line = (x1, y1, x2, y2, colour, more = "") => `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${colour}" ${more}/>`;
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="${pen.paper}"/>`,
    ...x.ticks.map((v) => line(x.at(v), box.top, x.at(v), box.bottom, pen.grid) + text(x.at(v), box.bottom + 15, show(v, 4), 'text-anchor="middle"')),
    ...y.ticks.map((v) => line(box.left, y.at(v), box.right, y.at(v), pen.grid) + text(box.left - 6, y.at(v) + 4, show(v, 4), 'text-anchor="end"')),
    text((box.left + box.right) / 2, height - 8, x.label ?? "", 'text-anchor="middle"'),
    `<text transform="translate(13 ${((box.top + box.bottom) / 2).toFixed(1)}) rotate(-90)" text-anchor="middle" fill="${pen.text}">${escape(y.label ?? "")}</text>`,
    `<clipPath id="${inside}"><rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top}"/></clipPath><g clip-path="url(#${inside})" fill="none">`];
  if (band) out.push(`<path fill="${pen.accent}" fill-opacity="0.14" d="${path({ x: [...band.x, ...[...band.x].reverse()], y: [...band.high, ...[...band.low].reverse()] }, x, y)}Z"/>`);
  for (const l of lines) out.push(l.x === undefined ? line(box.left, y.at(l.y), box.right, y.at(l.y), l.colour, 'stroke-dasharray="4 3"') : line(x.at(l.x), box.top, x.at(l.x), box.bottom, l.colour, 'stroke-dasharray="4 3"'));
  for (const c of curves) {
    if (!c.dots) out.push(`<path stroke="${c.colour}" stroke-width="1.6" stroke-linejoin="round" ${c.dash?.length ? `stroke-dasharray="${c.dash.join(" ")}"` : ""} d="${path(c, x, y)}"/>`);
    else c.x.forEach((v, i) => { if (finite(v) && finite(c.y[i])) out.push(`<circle cx="${x.at(v).toFixed(1)}" cy="${y.at(c.y[i]).toFixed(1)}" r="${c.dots}" fill="${c.colour}">${c.titles ? `<title>${escape(c.titles[i])}</title>` : ""}</circle>`); });
  }
  out.push("</g>");
  let at = box.left;
  if (legend)
    for (const c of curves.filter((k) => k.name)) {
      out.push(line(at, 12, at + 20, 12, c.colour, `stroke-width="2.5" ${c.dash?.length ? `stroke-dasharray="${c.dash.join(" ")}"` : ""}`), text(at + 25, 16, c.name));
      at += 40 + c.name.length * LETTER;
    }
  return `${out.join("")}</svg>\n`;
}
