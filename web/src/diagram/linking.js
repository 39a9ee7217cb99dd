// SPDX-License-Identifier: MIT
// Making a connection, by pointer or by keys: one end is held, the other sought.
// {end: port, at: {x, y} | null, taken: {from, to} | null}
import { edit } from "../state/session.js";
import { announce } from "../state/app.js";
import { connect, connectionsOf, disconnect } from "../model/scenario.js";
import { fits } from "../model/variables.js";
import { short } from "../state/short.js";

export function canJoin(end, port) {
  if (!end || !port || end.side === port.side) return false;
  const [out, into] = end.side === "out" ? [end, port] : [port, end];
  return fits(out.variable, into.variable);
}

export const targetsOf = (scene, end) => [...scene.ports.values()].filter((p) => canJoin(end, p));

export function join(end, port, taken) {
  const [from, to] = end.side === "out" ? [end.ref, port.ref] : [port.ref, end.ref];
  if (taken?.from === from && taken.to === to) return;
  edit((s) => connect(taken ? disconnect(s, taken.from, taken.to) : s, from, to));
  announce(`${short(from)} is connected to ${short(to)}`);
}

export function cut(wire) {
  edit((s) => disconnect(s, wire.from, wire.to));
  announce(`${short(wire.from)} is no longer connected to ${short(wire.to)}`);
}

/** The connection of an input, if it has one; of an output, if it has only one. */
export function wireOf(scenario, port) {
  const mine = connectionsOf(scenario).filter((c) => (port.side === "in" ? c.to : c.from) === port.ref);
  return mine.length === 1 ? mine[0] : null;
}
