// SPDX-License-Identifier: MIT
// The text of a scenario. What a person wrote stays as it is until it is edited
// otherwise; lines and columns of problems are those of this text.

const written = new WeakMap(); // scenario -> the text it was read from

/** The place in a text: {line, column}, both from 1. */
export function placeAt(text, position) {
  const before = text.slice(0, position).split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}

/** Browsers report it in their own ways, or not at all. */
function placeOf(message, text) {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line) return { line: Number(line), column: Number(column) };
  const [, position] = /position (\d+)/.exec(message) ?? [];
  return position ? placeAt(text, Number(position)) : null;
}

/** A scenario from its text; throws an Error with a sentence, and line and column. */
export function readText(text) {
  let scenario;
  try {
    scenario = JSON.parse(text);
  } catch (e) {
    const place = placeOf(e.message, text);
    const what = e.message.replace(/^JSON\.parse: /, "").replace(/ (in JSON )?at (line|position) .*$/s, "");
    throw Object.assign(new Error(place ? `line ${place.line}, column ${place.column}: ${what}` : what), place);
  }
  if (!scenario || typeof scenario !== "object" || Array.isArray(scenario)) throw new Error("a scenario is a JSON object");
  written.set(scenario, text);
  return scenario;
}

export const textOf = (scenario) => written.get(scenario) ?? `${JSON.stringify(scenario ?? {}, null, 2)}\n`;
