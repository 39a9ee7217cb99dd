// SPDX-License-Identifier: MIT
import { short } from "../state/short.js";
import { loose } from "./route.js";

export function Wires({ scene, selection, troubles, lit, linking, blamed, onSelect, onCut }) {
  const held = linking?.taken;
  return (
    <svg class="wires" role="group" aria-label="connections">
      {scene.wires.map((w) => {
        const chosen = selection?.from === w.from && selection.to === w.to;
        const bad = troubles.get(w.from) ?? troubles.get(w.to);
        const gone = held?.from === w.from && held.to === w.to;
        const grows = blamed?.from === w.from && blamed.to === w.to;
        const name = `connection from ${short(w.from)} to ${short(w.to)}`;
        return (
          <g key={`${w.from} ${w.to}`} class={`wire ${chosen ? "selected" : ""} ${bad ? `is-${bad}` : ""} ${gone ? "held" : ""} ${lit(w) ? "lit" : ""} ${grows ? "guilty" : ""}`}
            tabIndex={0} role="button" aria-label={`${name}${grows ? ", makes errors grow" : ""}; Delete removes it`} aria-pressed={chosen} data-wire={`${w.from} ${w.to}`}
            onPointerDown={(e) => { e.stopPropagation(); onSelect(w); }} onFocus={() => onSelect(w)}
            onKeyDown={(e) => { if (e.key === "Delete" || e.key === "Backspace") { e.preventDefault(); e.stopPropagation(); onCut(w); } }}>
            <path class="hit" d={w.d} />
            <path class="line" d={w.d} />
            {grows && <title>{`${Math.round(blamed.part * 100)} % of what grows goes through here`}</title>}
          </g>
        );
      })}
      {linking?.at && <path class="line loose" d={linking.end.side === "out" ? loose(linking.end, linking.at) : loose(linking.at, linking.end)} />}
    </svg>
  );
}
