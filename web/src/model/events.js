// SPDX-License-Identifier: MIT
// Events that instances put out: lists of columns, as the service has them.

export const NONE = { time: [], microstep: [], instance: [], port: [], value: [], matching: 0, total: 0 };
const COLUMNS = ["time", "microstep", "instance", "port", "value"];

/** One with the new ones behind; null where some between are missing. */
export function append(events, more) {
  const known = events.time.length;
  if (more.first > known || events.total > known) return null;
  const skip = known - more.first;
  if (skip >= more.time.length) return events;
  const next = {};
  for (const c of COLUMNS) next[c] = [...events[c], ...more[c].slice(skip)];
  return { ...next, matching: next.time.length, total: next.time.length };
}

export const signalOf = (events, i) => `${events.instance[i]}.${events.port[i]}`;

/** Outputs that have events, in the order they appear. */
export function signals(events) {
  const found = new Set();
  for (let i = 0; i < events.time.length; i += 1) found.add(signalOf(events, i));
  return [...found];
}

/** Which have every word of the search in instance, port or value. */
export function search(events, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let i = 0; i < events.time.length; i += 1) {
    const all = `${signalOf(events, i)} ${events.value[i]}`.toLowerCase();
    if (words.every((w) => all.includes(w))) found.push(i);
  }
  return found;
}

/** The last event of an output up to a time, or -1. */
export function lastBefore(events, signal, t) {
  let last = -1;
  for (let i = 0; i < events.time.length && events.time[i] <= t; i += 1)
    if (signalOf(events, i) === signal) last = i;
  return last;
}

/** Times in a range, each once; null: too many to be distinguished. */
export function marks(events, [from, to], most) {
  const found = [];
  for (const t of events.time) {
    if (t < from || t > to || t === found.at(-1)) continue;
    if (found.push(t) > most) return null;
  }
  return found;
}

/** A number as it is read, other texts as they are. */
export function shown(value, show) {
  const n = value === "" || value === "true" || value === "false" ? NaN : Number(value);
  return Number.isNaN(n) ? value : show(n);
}
