// SPDX-License-Identifier: MIT
// Connections that fit: by equal names, by names that differ in case or signs, by a
// physical unit that one output alone has.
import { misfit } from "./variables.js";

const plain = (name) => name.split(".").pop().toLowerCase().replace(/[^a-z0-9]/g, "");

function only(outputs, why) {
  return outputs.length === 1 ? { from: outputs[0].ref, why } : null;
}

function sourceFor(input, outputs) {
  const { name, variable } = input;
  return only(outputs.filter((o) => o.name === name), "the same name")
    ?? only(outputs.filter((o) => plain(o.name) === plain(name)), "nearly the same name")
    ?? (variable?.unit ? only(outputs.filter((o) => o.variable?.unit === variable.unit), `the only output in ${variable.unit}`) : null);
}

/** [{from, to, why}] for inputs without a source; `fresh`: only what concerns one of these instances. */
export function offerFor(blocks, fresh = null) {
  const outputs = blocks.flatMap((b) => b.outputs.map((p) => ({ ...p, unit: b.unit })));
  const found = [];
  for (const b of blocks)
    for (const p of b.inputs) {
      if (p.connected || !p.variable) continue;
      const others = outputs.filter((o) => o.unit !== b.unit && o.variable && !misfit(o.variable, p.variable));
      const source = sourceFor(p, others);
      const unit = source && others.find((o) => o.ref === source.from).unit;
      if (source && (!fresh || fresh.has(b.unit) || fresh.has(unit))) found.push({ ...source, to: p.ref });
    }
  return found;
}
