// SPDX-License-Identifier: MIT
// Plots of a report: values under the pointer, zoom by dragging, all of it again by
// a double click, curves hidden by a click on their names. Without this the report
// has the same pictures.
(() => {
  "use strict";
  const TICKS = { x: 10, y: 5 };
  const near = (a, b) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  const short = (v) => String(Number(v.toPrecision(6)));

  const add = (parent, tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    if (text) element.textContent = text;
    return parent.appendChild(element);
  };

  // --- what the pictures hold -------------------------------------------------

  const curve = (path) => ({
    path,
    index: Number(path.dataset.i),
    kind: path.dataset.kind,
    name: path.querySelector("title").textContent,
    at: path.dataset.v.split(",").map((p) => (p ? p.split(" ").map(Number) : null)), // null: a gap
  });

  const panel = (group) => {
    const [x0, x1, y0, y1, t0, t1, lo, hi] = group.dataset.f.split(" ").map(Number);
    return {
      group, x0, x1, y0, y1, t0, t1, lo, hi, all: { t0, t1, lo, hi }, hidden: new Set(),
      unit: group.dataset.unit,
      svg: group.ownerSVGElement,
      curves: [...group.querySelectorAll("[data-v]")].map(curve),
      keys: [...group.querySelectorAll(".key")],
      axis: { x: group.querySelector(".tx"), y: group.querySelector(".ty") },
    };
  };

  const panels = [...document.querySelectorAll("g.panel")].map(panel);
  if (!panels.length) return;

  // --- drawing ----------------------------------------------------------------

  const x = (p, t) => p.x0 + ((t - p.t0) / (p.t1 - p.t0)) * (p.x1 - p.x0);
  const y = (p, v) => p.y0 - ((v - p.lo) / (p.hi - p.lo)) * (p.y0 - p.y1);
  const shown = (p) => p.curves.filter((c) => !p.hidden.has(c.index));

  const ticks = (lo, hi, n) => {
    const rough = (hi - lo) / n, unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((k) => k * unit >= rough * 0.999);
    const out = [];
    for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; i++) out.push(i * step);
    return out;
  };

  const drawAxes = (p) => {
    const scale = (axis) => 10 ** Number(axis.dataset.scale);
    p.axis.x.replaceChildren();
    for (const t of ticks(p.t0, p.t1, TICKS.x)) {
      add(p.axis.x, "path", { class: "grid", d: `M${x(p, t)} ${p.y0}V${p.y1}` });
      add(p.axis.x, "text", { class: "dim num", "text-anchor": "middle", x: x(p, t), y: p.y0 + 16 }, short(t / scale(p.axis.x)));
    }
    p.axis.y.replaceChildren();
    const whole = p.curves.every((c) => c.kind === "steps");
    for (const v of ticks(p.lo, p.hi, TICKS.y).filter((k) => !whole || Number.isInteger(k))) {
      add(p.axis.y, "path", { class: "grid", d: `M${p.x0} ${y(p, v)}H${p.x1}` });
      add(p.axis.y, "text", { class: "dim num", "text-anchor": "end", x: p.x0 - 6, y: y(p, v) + 4 }, short(v / scale(p.axis.y)));
    }
  };

  const outline = (p, c) => {
    let d = "", down = false;
    for (const at of c.at) {
      if (!at) { down = false; continue; }
      const px = x(p, at[0]).toFixed(1), py = y(p, at[1]).toFixed(1);
      if (c.kind === "stems") d += `M${px} ${y(p, Math.max(p.lo, Math.min(p.hi, 0))).toFixed(1)}V${py}`;
      else if (!down || c.kind === "marks") d += `M${px} ${py}h0`;
      else d += c.kind === "steps" ? `H${px}V${py}` : `L${px} ${py}`;
      down = true;
    }
    return d;
  };

  let clips = 0;
  const clip = (p) => {
    const id = `clip${clips++}`;
    add(add(p.group, "clipPath", { id }), "rect", { x: p.x0, y: p.y1, width: p.x1 - p.x0, height: p.y0 - p.y1 });
    return `url(#${id})`;
  };

  const draw = (p) => {
    p.clip = p.clip || clip(p);
    drawAxes(p);
    for (const c of p.curves) {
      c.path.setAttribute("d", outline(p, c));
      c.path.setAttribute("clip-path", p.clip);
    }
  };

  // What is seen between t0 and t1 fills the height.
  const fit = (p) => {
    const seen = shown(p).flatMap((c) => c.at.filter((at, i) => at && at[0] <= p.t1 && (at[0] >= p.t0 || (c.at[i + 1] && c.at[i + 1][0] >= p.t0))).map((at) => at[1]));
    if (!seen.length) return;
    const lo = seen.reduce((a, b) => Math.min(a, b)), hi = seen.reduce((a, b) => Math.max(a, b));
    const room = near(lo, hi) ? Math.abs(lo) * 0.1 || 1 : (hi - lo) * 0.06;
    p.lo = lo - room;
    p.hi = hi + room;
  };

  const zoom = (t0, t1) => {
    for (const p of panels) {
      if (t0 === undefined) {
        Object.assign(p, p.all);
      } else {
        p.t0 = t0;
        p.t1 = t1;
        fit(p);
      }
      draw(p);
    }
    hide();
  };

  // --- values under the pointer -------------------------------------------------

  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");

  const hide = () => {
    tip.hidden = true;
    document.querySelectorAll(".cursor").forEach((e) => e.remove());
  };

  const before = (c, t) => { // the last point that is not after t
    let found = null;
    for (const at of c.at) {
      if (!at) continue;
      if (at[0] > t) break;
      found = at;
    }
    return found;
  };

  const nearest = (p, t) => {
    let best = null;
    for (const c of shown(p))
      for (const at of c.at)
        if (at && at[0] >= p.t0 && at[0] <= p.t1 && (best === null || Math.abs(at[0] - t) < Math.abs(best - t))) best = at[0];
    return best;
  };

  const show = (p, t, event) => {
    hide();
    const at = nearest(p, t);
    if (at === null) return;
    for (const q of panels) {
      if (at < q.t0 || at > q.t1) continue;
      add(q.group, "path", { class: "cursor", d: `M${x(q, at)} ${q.y0}V${q.y1}` });
      for (const c of shown(q)) {
        const point = before(c, at);
        if (point && point[1] >= q.lo && point[1] <= q.hi) add(q.group, "circle", { class: `cursor s s${c.index % 8}`, cx: x(q, at), cy: y(q, point[1]), r: 3 });
      }
    }
    const line = (text, colour) => {
      const row = tip.appendChild(document.createElement("div"));
      if (colour !== undefined) row.className = `tip${colour}`;
      row.textContent = text;
    };
    tip.replaceChildren();
    line(`t = ${short(at)} s`);
    for (const c of shown(p)) {
      const point = before(c, at);
      if (point) line(`${c.name} = ${short(point[1])}${p.unit ? ` ${p.unit}` : ""}`, c.index % 8);
    }
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8))}px`;
  };

  // --- pointer and keys -----------------------------------------------------------

  const place = (svg, event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const p = panels.find((q) => q.svg === svg && at.x >= q.x0 && at.x <= q.x1 && at.y >= q.y1 && at.y <= q.y0);
    return p && { p, px: at.x, t: p.t0 + ((at.x - p.x0) / (p.x1 - p.x0)) * (p.t1 - p.t0) };
  };

  let drag = null;
  const forget = () => {
    if (drag) drag.box.remove();
    drag = null;
  };

  for (const svg of new Set(panels.map((p) => p.svg))) {
    svg.classList.add("live");
    svg.addEventListener("pointerdown", (event) => {
      const from = place(svg, event);
      if (!from || event.button !== 0) return;
      forget();
      drag = { from, box: add(from.p.group, "rect", { class: "drag", x: from.px, y: from.p.y1, width: 0, height: from.p.y0 - from.p.y1 }) };
    });
    svg.addEventListener("pointermove", (event) => {
      const to = place(svg, event);
      if (!to) return hide();
      if (!drag || to.p !== drag.from.p) return show(to.p, to.t, event);
      drag.to = to;
      drag.box.setAttribute("x", Math.min(drag.from.px, to.px));
      drag.box.setAttribute("width", Math.abs(drag.from.px - to.px));
      return undefined;
    });
    svg.addEventListener("pointerleave", () => { hide(); forget(); });
    svg.addEventListener("pointerup", () => {
      const done = drag;
      forget();
      if (done && done.to && Math.abs(done.from.px - done.to.px) > 6)
        zoom(Math.min(done.from.t, done.to.t), Math.max(done.from.t, done.to.t));
    });
    svg.addEventListener("dblclick", () => zoom());
  }

  const toggle = (p, key) => {
    const i = Number(key.dataset.i), now = !p.hidden.has(i);
    if (now) p.hidden.add(i);
    else p.hidden.delete(i);
    key.setAttribute("aria-pressed", String(!now));
    for (const c of p.curves) if (c.index === i) c.path.style.display = now ? "none" : "";
    hide();
  };

  for (const p of panels)
    for (const key of p.keys) {
      for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-pressed", "true"]]) key.setAttribute(name, value);
      key.addEventListener("click", () => toggle(p, key));
      key.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle(p, key);
      });
    }
  addEventListener("keydown", (event) => { if (event.key === "Escape") zoom(); });

  const hint = document.createElement("p");
  hint.className = "dim hint";
  hint.textContent = "Point at a plot for its values, drag to zoom in, double click to see all again; click a name to hide its curve.";
  panels[0].svg.closest(".card").before(hint);
})();
