// SPDX-License-Identifier: MIT
// What is wrong, below its block, whole: it stays within the diagram, and is scrolled where
// even that is too little.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { short } from "../state/short.js";
import { wrongWith } from "./Block.jsx";

const GAP = 6, EDGE = 6;

export function Callout({ box, trouble, view, host }) {
  const { level, messages, loud } = wrongWith(box.block, trouble);
  const own = useRef();
  const [size, setSize] = useState([0, 0]);
  useLayoutEffect(() => {
    const el = own.current;
    if (el && (el.offsetWidth !== size[0] || el.offsetHeight !== size[1])) setSize([el.offsetWidth, el.offsetHeight]);
  });
  if (!loud) return null;
  const room = host.current ? [host.current.clientWidth, host.current.clientHeight] : [Infinity, Infinity];
  const within = (at, n, all) => Math.max(EDGE, Math.min(at, all - n - EDGE));
  const left = within(box.x * view.k + view.x, size[0], room[0]);
  const top = within((box.y + box.size.height) * view.k + view.y + GAP, size[1], room[1]);
  return (
    <p ref={own} class={`callout is-${level}`} data-of={box.block.unit} style={{ left: `${left}px`, top: `${top}px` }} onPointerDown={(e) => e.stopPropagation()}>
      {short(messages[0])}{messages.length > 1 && <b> and {messages.length - 1} more</b>}
    </p>
  );
}
