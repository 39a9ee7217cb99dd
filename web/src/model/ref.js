// SPDX-License-Identifier: MIT
// Names of a scenario: "{key}.instance" and "{key}.instance.variable". Dots may
// stand inside the braces of a key and inside a variable, nowhere else.

function keyEnd(text) {
  const from = text.startsWith("{") ? text.indexOf("}") : 0;
  return text.indexOf(".", Math.max(from, 0));
}

/** "{k}.i" -> {key, instance}; null if it is none. */
export function parseUnit(text) {
  const dot = keyEnd(text);
  return dot <= 0 ? null : { key: text.slice(0, dot), instance: text.slice(dot + 1) };
}

/** "{k}.i.a.b" -> {unit: "{k}.i", key, instance, variable: "a.b"}; null if it is none. */
export function parseRef(text) {
  const dot = keyEnd(text);
  const next = dot <= 0 ? -1 : text.indexOf(".", dot + 1);
  if (next < 0) return null;
  return { unit: text.slice(0, next), key: text.slice(0, dot),
    instance: text.slice(dot + 1, next), variable: text.slice(next + 1) };
}

export const refOf = (unit, variable) => `${unit}.${variable}`;

/** What people read: "tank.level". */
export function shortRef(text) {
  const ref = parseRef(text);
  return ref ? `${ref.instance}.${ref.variable}` : text;
}

/** Short names of many, with the key where two would look the same. */
export function shortNames(refs) {
  const seen = new Map();
  for (const r of refs) seen.set(shortRef(r), (seen.get(shortRef(r)) ?? 0) + 1);
  return new Map(refs.map((r) => [r, seen.get(shortRef(r)) > 1 ? r : shortRef(r)]));
}
