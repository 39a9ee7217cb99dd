// SPDX-License-Identifier: MIT
// Edits of a scenario. Each takes a scenario and returns a new one; what an edit
// does not concern, known or not, stays as it is.
import { parseRef, parseUnit, refOf } from "./ref.js";

const list = (v) => (Array.isArray(v) ? v : [v]).filter((x) => typeof x === "string");
const object = (v) => (v && typeof v === "object" && !Array.isArray(v) ? v : {});

/** The object with a field set, or without it when the value is undefined. */
export function withField(of, name, value) {
  const { [name]: _, ...rest } = object(of);
  if (value === undefined) return rest;
  return name in object(of) ? { ...of, [name]: value } : { ...rest, [name]: value };
}

const pairs = (field) => Object.entries(object(field))
  .flatMap(([from, targets]) => list(targets).map((to) => ({ from, to })));

/** Connections one by one: [{from, to}]. */
export function connectionsOf(scenario) {
  return pairs(scenario.connections);
}

/** Instances, by the rules of the scenario reference: [{unit, key, instance}]. */
export function instancesOf(scenario) {
  const found = new Map();
  const add = (text) => {
    const u = parseUnit(text);
    if (u && !u.instance.includes(".") && !found.has(text)) found.set(text, { unit: text, ...u });
  };
  for (const [key, names] of Object.entries(object(scenario.instances)))
    for (const name of list(names)) add(`${key}.${name}`);
  const refs = [...connectionsOf(scenario), ...pairs(scenario.terminals)].flatMap((c) => [c.from, c.to]);
  for (const r of refs) if (parseRef(r)) add(parseRef(r).unit);
  for (const field of ["logVariables", "livestream"]) Object.keys(object(scenario[field])).forEach(add);
  if (!refs.length) {
    const named = new Set([...found.values()].map((u) => u.key));
    for (const r of Object.keys(object(scenario.parameters)))
      if (parseRef(r) && !named.has(parseRef(r).key)) add(parseRef(r).unit);
  }
  return [...found.values()];
}

export function disconnect(scenario, from, to) {
  const targets = list(object(scenario.connections)[from]).filter((t) => t !== to);
  return keeping(scenario, { ...scenario,
    connections: withField(scenario.connections, from, targets.length ? targets : undefined) });
}

/** An input has one source: a connection to it replaces the one it had. */
export function connect(scenario, from, to) {
  const before = connectionsOf(scenario).filter((c) => c.to === to);
  const freed = before.reduce((s, c) => disconnect(s, c.from, c.to), scenario);
  const targets = [...list(object(freed.connections)[from]), to];
  return { ...freed, connections: { ...object(freed.connections), [from]: targets } };
}

/** Instances that only the changed field named must not vanish with it. */
function keeping(before, after) {
  const left = new Set(instancesOf(after).map((i) => i.unit));
  return instancesOf(before).filter((i) => !left.has(i.unit)).reduce((s, { key, instance }) => {
    const instances = object(s.instances);
    return { ...s, instances: { ...instances, [key]: [...list(instances[key]), instance] } };
  }, after);
}

/** A start value; undefined: as the unit states. */
export function setParameter(scenario, ref, value) {
  return keeping(scenario, { ...scenario, parameters: withField(scenario.parameters, ref, value) });
}

/** What logVariables names: [[unit, names]], whatever its shape. */
export const loggedOf = (scenario) => Object.entries(object(scenario.logVariables)).map(([unit, names]) => [unit, list(names)]);

/** Which variables are recorded because logVariables states it. */
export const isLogged = (scenario, unit, variable) =>
  list(object(scenario.logVariables)[unit]).includes(variable);

/** Patterns of "record" as a test of {unit, variable}: compared with the full name,
 *  without the key, and with the variable alone. */
export function recordTest(scenario) {
  const exact = (p) => new RegExp(`^${p.replace(/[\\^$.+()|[\]{}]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const tests = list(scenario.record ?? []).map(exact), all = list(scenario.record ?? []).includes("all");
  return (unit, variable) => {
    const names = [`${unit}.${variable}`, `${parseUnit(unit).instance}.${variable}`, variable];
    return all || tests.some((t) => names.some((n) => t.test(n)));
  };
}

export function logVariable(scenario, unit, variable) {
  if (isLogged(scenario, unit, variable)) return scenario;
  const names = [...list(object(scenario.logVariables)[unit]), variable];
  return { ...scenario, logVariables: { ...object(scenario.logVariables), [unit]: names } };
}

function freeName(wanted, taken) {
  if (!taken.has(wanted)) return wanted;
  let n = 2;
  while (taken.has(`${wanted}${n}`)) n += 1;
  return `${wanted}${n}`;
}

const identifier = (file) => (file.split("/").pop().replace(/\.(fmu|csv)$/i, "").replace(/^tutti:/, "")
  .replace(/[^A-Za-z0-9_-]+/g, "_") || "unit");

/** A unit of an FMU file, or another instance of a key that is there.
 *  Returns [scenario, unit]. */
export function addUnit(scenario, location) {
  const fmus = object(scenario.fmus);
  const known = Object.keys(fmus).find((k) => fmus[k] === location);
  const name = identifier(typeof location === "string" ? location : known.replace(/[{}]/g, ""));
  const key = known ?? freeName(`{${name}}`, new Set(Object.keys(fmus)));
  const taken = new Set(instancesOf(scenario).map((i) => i.instance));
  const instance = freeName(name, taken);
  const instances = object(scenario.instances);
  return [{ ...scenario, fmus: { ...fmus, [key]: location },
    instances: { ...instances, [key]: [...list(instances[key]), instance] } }, `${key}.${instance}`];
}

/** Without a unit and all that names it; the FMU goes with its last instance. */
export function removeUnit(scenario, unit) {
  const { key, instance } = parseUnit(unit);
  const mine = (ref) => parseRef(ref)?.unit === unit;
  let next = connectionsOf(scenario).filter((c) => mine(c.from) || mine(c.to))
    .reduce((s, c) => disconnect(s, c.from, c.to), scenario);
  for (const field of ["logVariables", "livestream", "logLevels", "rates", "quanta", "late", "evaluates", "substeps", "parameters", "reactivity", "approximation", "diagram"])
    if (object(next[field]) === next[field])
      next = { ...next, [field]: Object.fromEntries(Object.entries(next[field]).filter(([n]) => n !== unit && !mine(n))) };
  const names = list(object(next.instances)[key]).filter((n) => n !== instance);
  next = { ...next, instances: withField(next.instances, key, names.length ? names : undefined) };
  const alive = instancesOf(next).some((i) => i.key === key);
  return alive ? next : { ...next, fmus: withField(next.fmus, key, undefined) };
}

/** "my%20tank.fmu" as a file is called; a name may have a percent sign, too. */
function decoded(name) {
  try { return decodeURIComponent(name); } catch { return name; }
}

/** Locations that end in the name of an uploaded file mean that file. */
export function relocate(scenario, names) {
  const known = new Set(names);
  const here = (loc) => {
    if (loc && typeof loc === "object") return relocate(object(loc), names); // a scenario in place
    const base = decoded(String(loc).split(/[\\/]/).pop());
    return !known.has(loc) && known.has(base) ? base : loc;
  };
  const fmus = Object.entries(object(scenario.fmus));
  if (fmus.every(([, v]) => here(v) === v)) return scenario; // and its text stays as it was
  return { ...scenario, fmus: Object.fromEntries(fmus.map(([k, v]) => [k, here(v)])) };
}
