// SPDX-License-Identifier: MIT
// The bar between diagram and plots: dragged, or moved by arrow keys.
import { drag } from "../diagram/drag.js";

export function Splitter({ share, onChange }) {
  const set = (s) => onChange(Math.min(0.8, Math.max(0.2, s)));
  const down = (e) => {
    const box = e.currentTarget.parentElement.getBoundingClientRect();
    e.preventDefault();
    drag(e, { move: (m) => set((m.clientY - box.top) / box.height) });
  };
  const keys = (e) => {
    const step = { ArrowUp: -0.05, ArrowDown: 0.05 }[e.key];
    if (!step) return;
    e.preventDefault();
    set(share + step);
  };
  return <div class="splitter" role="separator" tabIndex={0} aria-label="height of the diagram" aria-orientation="horizontal"
    aria-valuenow={Math.round(share * 100)} aria-valuemin={20} aria-valuemax={80} onPointerDown={down} onKeyDown={keys} />;
}
