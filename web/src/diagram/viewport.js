// SPDX-License-Identifier: MIT
// Pan and zoom of the diagram: {x, y, k}, screen = k * diagram + (x, y).
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

const LEAST = 0.25, MOST = 2.5;
const clamp = (k) => Math.min(MOST, Math.max(LEAST, k));

export function useViewport(host) {
  const [view, setView] = useState({ x: 0, y: 0, k: 1 });
  const latest = useRef(view);
  latest.current = view;

  const zoomAt = useCallback((factor, px, py) => setView((v) => {
    const k = clamp(v.k * factor);
    return { k, x: px - ((px - v.x) * k) / v.k, y: py - ((py - v.y) * k) / v.k };
  }), []);

  /** All of a rectangle, as large as it fits, never larger than life. */
  const fit = useCallback((r) => {
    const el = host.current;
    if (!el?.clientWidth || !el.clientHeight) return;
    const place = (top) => {
      const k = clamp(Math.min(1.1, (el.clientWidth - 48) / r.width, (el.clientHeight - 24 - top) / r.height));
      return { k, x: (el.clientWidth - r.width * k) / 2 - r.x * k, y: top + (el.clientHeight - 24 - top - r.height * k) / 2 - r.y * k };
    };
    const tools = el.querySelector(".tools"), whole = place(24);
    const meets = tools && (r.x + r.width) * whole.k + whole.x > tools.offsetLeft && r.y * whole.k + whole.y < tools.offsetTop + tools.offsetHeight;
    setView(meets && el.clientHeight > 180 ? place(tools.offsetTop + tools.offsetHeight + 8) : whole);
  }, [host]);

  const zoomBy = useCallback((factor) => zoomAt(factor, host.current.clientWidth / 2, host.current.clientHeight / 2), [host, zoomAt]);

  useEffect(() => {
    const el = host.current;
    const wheel = (e) => {
      e.preventDefault();
      const box = el.getBoundingClientRect();
      if (e.ctrlKey || e.metaKey || !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY))
        zoomAt(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.clientX - box.left, e.clientY - box.top);
      else setView((v) => ({ ...v, x: v.x - e.deltaX, y: v.y - e.deltaY }));
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => el.removeEventListener("wheel", wheel);
  }, [host, zoomAt]);

  const pan = useCallback((dx, dy) => setView((v) => ({ ...v, x: v.x + dx, y: v.y + dy })), []);

  /** Where a pointer is, in the diagram. */
  const toDiagram = useCallback((e) => {
    const box = host.current.getBoundingClientRect();
    const v = latest.current;
    return { x: (e.clientX - box.left - v.x) / v.k, y: (e.clientY - box.top - v.y) / v.k };
  }, [host]);

  return { view, fit, pan, zoomBy, toDiagram, scale: () => latest.current.k };
}
