// SPDX-License-Identifier: MIT
// One pointer, from down to up. `on` has move(event, dx, dy), and end(event,
// moved): whether it went far enough to be a drag rather than a click.
const FAR = 4;

export function drag(down, on) {
  if (down.button !== 0) return;
  const { clientX: x0, clientY: y0 } = down;
  let x = x0, y = y0, moved = false;
  const move = (e) => {
    moved ||= Math.hypot(e.clientX - x0, e.clientY - y0) > FAR;
    if (!moved) return;
    on.move?.(e, e.clientX - x, e.clientY - y);
    x = e.clientX;
    y = e.clientY;
  };
  const end = (e) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    on.end?.(e, moved);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}
