// SPDX-License-Identifier: MIT
// What a port is, beside it, while it is pointed at or has the focus.
import { describe, misfit, showValue } from "../model/variables.js";

function joinHint(linking, port) {
  const end = linking?.end;
  if (!end || end.side === port.side) return null;
  const [out, into] = end.side === "out" ? [end.variable, port.variable] : [port.variable, end.variable];
  if (misfit(out, into)) return misfit(out, into);
  if (out?.unit && into?.unit && out.unit !== into.unit) return `${out.unit} goes to ${into.unit}`;
  return "fits";
}

export function Hint({ port, at, view, source, linking }) {
  if (!at) return null;
  const x = at.x * view.k + view.x, y = at.y * view.k + view.y;
  const v = port.variable;
  const join = joinHint(linking, port);
  return (
    <div class={`hint ${port.side}`} role="tooltip" style={{ left: `${x}px`, top: `${y}px` }}>
      <b>{port.name}</b>{v?.unit && <span class="unit">{v.unit}</span>}
      <div>{describe(v)}</div>
      {v?.start !== undefined && <div>starts at {showValue(v.start)}</div>}
      {source && <div>{source}</div>}
      {join && <div class="join">{join}</div>}
    </div>
  );
}
