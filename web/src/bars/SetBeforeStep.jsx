// SPDX-License-Identifier: MIT
// Values that a paused run gets before its next step.
import { useState } from "preact/hooks";
import { useBlocks } from "../state/blocks.js";
import { parseRef } from "../model/ref.js";
import { short } from "../state/short.js";
import { describe, isSettable, parseValue, showValue } from "../model/variables.js";
import { Entry } from "../ui/Field.jsx";

/** Inputs that nothing feeds, and what may be tuned. */
function settableNow(block) {
  const fed = new Set(block.inputs.filter((p) => p.connected).map((p) => p.name));
  return [...block.variables.values()].filter((v) => (v.causality === "input" ? !fed.has(v.name) : v.variability === "tunable" && isSettable(v)));
}

export function SetBeforeStep({ sets, onChange }) {
  const blocks = useBlocks();
  const [ref, setRef] = useState("");
  const all = blocks.flatMap((b) => settableNow(b).map((v) => ({ ref: `${b.unit}.${v.name}`, v })));
  const chosen = all.find((x) => x.ref === ref);
  if (!all.length) return null;
  return (
    <span class="set-before">
      <select aria-label="input to set before the next step" value={ref} onChange={(e) => setRef(e.target.value)}>
        <option value="">set an input…</option>
        {all.map((x) => <option key={x.ref} value={x.ref}>{short(x.ref)}</option>)}
      </select>
      {chosen && <Entry label={`value of ${short(ref)}, ${describe(chosen.v)}`} placeholder={chosen.v.unit ?? "value"} scope="step" value={showValue(sets[ref])}
        parse={(t) => parseValue(t, chosen.v)} onChange={(v) => { const { [ref]: _, ...rest } = sets; onChange(v === undefined ? rest : { ...rest, [ref]: v }); }} />}
      {Object.keys(sets).filter((r) => r !== ref).map((r) => <span key={r} class="chip">{parseRef(r).variable} = {showValue(sets[r])}</span>)}
    </span>
  );
}
