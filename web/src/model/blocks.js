// SPDX-License-Identifier: MIT
// What the diagram shows: a block for each instance, with its ports, made from
// the scenario and from what the service knows of the FMUs.
import { connectionsOf, instancesOf, loggedOf, recordTest } from "./scenario.js";
import { brief, parseRef } from "./ref.js";

const real = (name, causality, description, start) => ({ name, type: "Float64", causality, variability: causality === "parameter" ? "fixed" : "continuous", description, start });

/** Built in: the service has no file to look into. */
export const COUPLING = "tutti:coupling";
const BUILT_IN = { [COUPLING]: { modelName: "coupling", fmiVersion: "", description: "Finds the action that makes left and right equal",
  variables: [real("left", "input", "to be equal to right", 0), real("right", "input", "to be equal to left", 0),
    real("action", "output", "what makes them equal"), real("reaction", "output", "the opposite of the action"),
    real("residual", "output", "how far from equal they are"),
    real("leftGain", "parameter", "factor of left", 1), real("rightGain", "parameter", "factor of right", 1),
    real("offset", "parameter", "left is larger by this", 0), real("start", "parameter", "the action at the start", 0)] } };

export function infoOf(fmus, location, key) {
  const entry = fmus.find((f) => f.key === key) ?? fmus.find((f) => f.location === location);
  const info = entry?.info ?? BUILT_IN[location] ?? null;
  return { info, error: info ? null : entry?.error ?? null };
}

/** [{unit, key, instance, name, location, info, error, inputs, outputs, variables}];
 *  ports are {name, ref, variable|null, connected}. */
export function blocksOf(scenario, fmus) {
  const wires = connectionsOf(scenario);
  const used = new Map();
  for (const { from, to } of wires) {
    touch(used, from, "outputs");
    touch(used, to, "inputs");
  }
  const all = instancesOf(scenario), words = brief(all.map((i) => i.unit));
  return all.map((i) => {
    const location = scenario.fmus?.[i.key] ?? null;
    const known = infoOf(fmus, location, i.key);
    const variables = variablesOf(known.info);
    const error = location == null ? `there is no FMU '${i.key}'` : known.error;
    const mine = used.get(i.unit) ?? { inputs: new Set(), outputs: new Set() };
    const ports = (causality, side) => portsOf(i.unit, variables, causality, mine[side]);
    return { ...i, name: words(i.unit), location, info: known.info, error, variables, inputs: ports("input", "inputs"), outputs: ports("output", "outputs") };
  });
}

/** Where it is, for people: a scenario in place has no location of its own. */
export const placeOf = ({ location }) => (location && typeof location === "object" ? "in this scenario" : location);

const byInfo = new WeakMap(); // the same for all instances of an FMU

/** name -> variable, with the dimension its unit of measure has: exponents of the base units. */
function variablesOf(info) {
  if (!info) return new Map();
  if (!byInfo.has(info)) {
    const units = new Map((info.units ?? []).map((u) => [u.name, u.exponents]));
    byInfo.set(info, new Map(info.variables.map((v) => [v.name, { ...v, dimension: units.get(v.unit), table: info.kind === "signal" }])));
  }
  return byInfo.get(info);
}

function touch(used, text, side) {
  const r = parseRef(text);
  if (!r) return;
  if (!used.has(r.unit)) used.set(r.unit, { inputs: new Set(), outputs: new Set() });
  used.get(r.unit)[side].add(r.variable);
}

/** Declared ports first, then names that connections use and no description declares. */
function portsOf(unit, variables, causality, connected) {
  const names = [...variables.values()].filter((v) => v.causality === causality).map((v) => v.name);
  const strays = [...connected].filter((n) => !names.includes(n));
  return [...names, ...strays].map((name) => ({ name, ref: `${unit}.${name}`, variable: variables.get(name) ?? null, connected: connected.has(name) }));
}

/** Ports a block shows: all, or the connected ones and some more. */
export function visiblePorts(ports, limit, all) {
  if (all || ports.length <= limit) return { shown: ports, hidden: 0 };
  const keep = new Set(ports.filter((p) => p.connected));
  for (const p of ports) if (keep.size < limit) keep.add(p);
  return { shown: ports.filter((p) => keep.has(p)), hidden: ports.length - keep.size };
}

/** Variables a run of this scenario records: [{ref, unit, variable}]. */
export function recordedOf(scenario, blocks) {
  const refs = new Map();
  const at = new Map(blocks.map((b) => [b.unit, b]));
  const add = (unit, name) => refs.set(`${unit}.${name}`, { ref: `${unit}.${name}`, unit, variable: at.get(unit)?.variables.get(name) ?? null });
  for (const { from } of connectionsOf(scenario)) {
    const r = parseRef(from);
    if (r) add(r.unit, r.variable);
  }
  for (const [unit, names] of loggedOf(scenario)) for (const n of names) add(unit, n);
  const wanted = recordTest(scenario);
  for (const b of blocks) for (const v of b.variables.values()) if (v.causality !== "independent" && wanted(b.unit, v.name)) add(b.unit, v.name);
  if (!refs.size) for (const b of blocks) for (const p of b.outputs) add(b.unit, p.name);
  return [...refs.values()];
}
