// SPDX-License-Identifier: MIT
// What studies find, as the page needs it: pure functions of their summaries.
import { withField } from "./scenario.js";

/** "{a}.a.x -> {b}.b.u" -> {from, to} */
export function wireNamed(name) {
  const [from, to] = name.split(" -> ");
  return { from, to };
}

/** Connections that carry what grows, the guilty one first: [{from, to, part, held}]. */
export const carriers = (found) => (found?.mode?.connections ?? []).map((c) => ({ ...wireNamed(c.name), part: c.part, heldRho: c.heldRho, heldVerdict: c.heldVerdict }));

/** The connection to blame, or null: only of what grows without the model's doing. */
export const guilty = (found) => (found?.verdict === "unstable" && !found.model?.unstable ? carriers(found)[0] ?? null : null);

const NAMES = ["master", "approximation", "iterate", "acceleration"];

/** "--master gauss-seidel --order a,b": what `tutti run` would be given, laid over a scenario. */
export function withOptions(scenario, options) {
  const words = options.split(/\s+/).filter(Boolean);
  let next = { ...scenario };
  for (let i = 0; i + 1 < words.length; i += 2) {
    const name = words[i].replace(/^--/, ""), value = words[i + 1];
    if (name === "order") next = { ...next, order: value.split(",") };
    else if (name === "step") next = { ...next, algorithm: { type: "fixed-step", size: Number(value) } };
    else if (name === "rates") next = { ...next, rates: { ...next.rates, ...Object.fromEntries(value.split(",").map((r) => r.split("=")).map(([of, n]) => [of, Number(n)])) } };
    else if (NAMES.includes(name)) next = { ...next, [name]: /^\d+$/.test(value) ? Number(value) : value };
  }
  return next;
}

const clean = (v) => (v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null).map(([k, x]) => [k, clean(x)])) : v);

/** A variant of `tutti tune` laid over the scenario: null takes a field away. */
export function withSettings(scenario, settings) {
  return Object.entries(settings).reduce((s, [name, value]) => withField(s, name, value === null ? undefined : clean(value)), scenario);
}

/** Families that state one condition; the others are written in the file. */
export const HINTS = ["always", "never", "eventually"];

const hints = (scenario) => (Array.isArray(scenario?.hints) ? scenario.hints : []);

/** Each in a line. */
export const hintsOf = (scenario) => hints(scenario).map((h) => {
  const family = HINTS.find((f) => typeof h?.[f] === "string");
  return family && Object.keys(h).length === 1 ? `${family} ${h[family]}` : JSON.stringify(h);
});

export const withHint = (scenario, family, text) => withField(scenario, "hints", [...hints(scenario), { [family]: text }]);

export function withoutHint(scenario, i) {
  const rest = hints(scenario).filter((_, k) => k !== i);
  return withField(scenario, "hints", rest.length ? rest : undefined);
}

/** Hints that no settings would satisfy, as sentences. */
export const contradictions = (found) => found.reasons.filter((r) => / contradicts the model: /.test(r));

/** A CSV table: {names, rows}; cells may be quoted. */
export function readTable(text) {
  const rows = [];
  let row = [], cell = "", quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      if (c === "\"" && text[i + 1] === "\"") { cell += c; i += 1; }
      else if (c === "\"") quoted = false;
      else cell += c;
    } else if (c === "\"") quoted = true;
    else if (c === "," || c === "\n") {
      row.push(cell);
      cell = "";
      if (c === "\n") { rows.push(row); row = []; }
    } else if (c !== "\r") cell += c;
  }
  const [names = [], ...rest] = rows;
  return { names, rows: rest };
}

const TAKEN = /\.(final|min|max|mean)$/;

/** What a sweep's table has: {parameters, results: [{ref, take, column}]}. */
export function sweepColumns(names) {
  const first = names.findIndex((n) => TAKEN.test(n));
  const end = names.indexOf("state");
  return { parameters: names.slice(1, first < 0 ? end : first),
    results: names.map((n, column) => ({ column, take: TAKEN.exec(n)?.[1], ref: n.replace(TAKEN, "") })).filter((r) => r.take && r.column < end) };
}

/** Curves over the first parameter, one for each combination of the others:
 *  [{name, x, y}], sorted by x. */
export function sweepCurves(table, column) {
  const { parameters } = sweepColumns(table.names);
  const state = table.names.indexOf("state");
  const groups = new Map();
  for (const row of table.rows) {
    if (row[state] !== "done") continue;
    const name = parameters.slice(1).map((p, i) => `${p} = ${row[2 + i]}`).join(", ");
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push([Number(row[1]), Number(row[column])]);
  }
  return [...groups].map(([name, points]) => {
    const sorted = points.sort((a, b) => a[0] - b[0]);
    return { name, x: sorted.map((p) => p[0]), y: sorted.map((p) => p[1]) };
  });
}

/** Points that came to nothing: [{point, problem}]. */
export function sweepProblems(table) {
  const state = table.names.indexOf("state"), problem = table.names.indexOf("problem");
  return table.rows.filter((r) => r[state] !== "done").map((r) => ({ point: r[0], problem: r[problem] || r[state] }));
}
