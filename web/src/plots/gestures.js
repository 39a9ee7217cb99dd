// SPDX-License-Identifier: MIT
// How a chart is looked at closer: drag a box, turn the wheel, push with Shift.
import { zoomTo } from "../data/feed.js";
import { setRange } from "../state/plots.js";

const TURN = 1.0015; // zoom for each unit of the wheel

/** Pointers of all charts go together; what is dragged in one concerns one. */
const sync = { key: "tutti", filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } };

/** The cursor of a chart, for uPlot. With Shift, or another button, nothing is selected. */
export const cursorOf = (both) => ({ sync, drag: { x: true, y: both, uni: 40, setScale: false },
  bind: { mousedown: (_, __, handler) => (e) => (e.button || e.shiftKey ? null : handler(e)) } });

/** All charts show this time; null: the whole. */
export function look(range) {
  setRange(range);
  zoomTo(range);
}

const around = (lo, hi, mid, factor) => [mid - (mid - lo) * factor, mid + (hi - mid) * factor];

/** Gestures of a chart. `y`: its view across, {get(scale), set(views or null)}, if it can be zoomed so. */
export function watchGestures(u, y = null) {
  const { over } = u;
  const size = () => over.getBoundingClientRect();
  const across = Object.keys(u.scales).filter((k) => k !== "x");
  const view = (k) => [u.scales[k].min, u.scales[k].max];
  const push = (dx, dy) => {
    const box = size(), [lo, hi] = view("x"), d = (dx / box.width) * (hi - lo);
    if (d) look([lo - d, hi - d]);
    if (y && dy) y.set(Object.fromEntries(across.map((k) => { const [a, b] = view(k), e = (dy / box.height) * (b - a); return [k, [a + e, b + e]]; })));
  };
  const wheel = (e) => {
    e.preventDefault();
    const box = size();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { push(-(e.deltaX || e.deltaY), 0); return; }
    const factor = TURN ** e.deltaY;
    if (e.altKey && y) y.set(Object.fromEntries(across.map((k) => [k, around(...view(k), u.posToVal(e.clientY - box.top, k), factor)])));
    else look(around(...view("x"), u.posToVal(e.clientX - box.left, "x"), factor));
  };
  const down = (e) => {
    if (e.button !== 1 && !(e.button === 0 && e.shiftKey)) return;
    e.preventDefault();
    over.setPointerCapture(e.pointerId);
    let [x0, y0] = [e.clientX, e.clientY];
    const move = (m) => { push(m.clientX - x0, m.clientY - y0); [x0, y0] = [m.clientX, m.clientY]; };
    over.addEventListener("pointermove", move);
    over.addEventListener("pointerup", () => over.removeEventListener("pointermove", move), { once: true });
  };
  over.addEventListener("wheel", wheel, { passive: false });
  over.addEventListener("pointerdown", down);
  over.addEventListener("dblclick", () => { look(null); y?.set(null); });
}

/** A box was dragged: what it spans becomes the view. */
export function takeBox(u, y = null) {
  const { left, top, width, height } = u.select;
  const [w, h] = [u.bbox.width / devicePixelRatio, u.bbox.height / devicePixelRatio];
  u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  if (width >= 4 && width < w - 1) look([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
  if (y && height >= 4 && height < h - 1)
    y.set(Object.fromEntries(Object.keys(u.scales).filter((k) => k !== "x").map((k) => [k, [u.posToVal(top + height, k), u.posToVal(top, k)]])));
}
