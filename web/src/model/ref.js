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

/** What people read, of a name or a text with names: "{x2}.tank.level" is "tank.level" where no
 *  other key has a 'tank' among these instances. Pieces of JSON and files keep their names whole. */
export function brief(units) {
  const keys = new Map();
  for (const u of units.map(parseUnit)) if (u) keys.set(u.instance, !keys.has(u.instance) || keys.get(u.instance) === u.key ? u.key : null);
  return (text) => text.replace(/(?<![./"])(\{[^}\n]*\})\.([^\s.,:;|/()[\]{}<>='"]+)/g, (whole, key, name) => (keys.get(name) === key ? name : whole));
}

/** What is read of each of these, by name, beside other instances. */
export function shortNames(refs, units = []) {
  const words = brief([...units, ...refs.map((r) => parseRef(r)?.unit ?? r)]);
  return new Map(refs.map((r) => [r, words(r)]));
}
