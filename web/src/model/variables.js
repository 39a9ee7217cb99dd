// SPDX-License-Identifier: MIT
// What a variable is, in words, and which outputs may feed which inputs.

const BOOLEAN = new Set(["Boolean"]);
const TEXT = new Set(["String"]);
const OTHER = new Set(["Binary", "Clock"]);

export function family(type) {
  if (BOOLEAN.has(type)) return "boolean";
  if (TEXT.has(type)) return "text";
  if (OTHER.has(type)) return type.toLowerCase();
  return type ? "number" : "unknown";
}

const isFloat = (type) => /^(Real|Float)/.test(type);

/** Numbers and booleans convert, but a float does not become an integer, except
 *  from a table, which holds what its writer put there. */
function typesFit(from, to) {
  const a = family(from.type), b = family(to.type);
  if (a === "number" && b === "number") return from.table || !isFloat(from.type) || isFloat(to.type);
  const plain = ["number", "boolean"];
  return a === b || (plain.includes(a) && plain.includes(b));
}

/** Units of measure convert where they measure the same quantity. One without a
 *  name fits all, one without a declaration too: it is passed as it is. */
function unitsFit(from, to) {
  if (!from.unit || !to.unit || from.unit === to.unit || !from.dimension || !to.dimension) return true;
  return from.dimension.every((e, i) => e === to.dimension[i]);
}

const sizeOf = (v) => (v.dimensions ?? []).reduce((n, d) => n * Number(d.size ?? d.start ?? d), 1);
function sizesFit(from, to) {
  const a = sizeOf(from), b = sizeOf(to);
  return a === b || Number.isNaN(a) || Number.isNaN(b);
}

/** Why a value of one variable cannot go to the other, or null. */
export function misfit(from, to) {
  if (!from?.type || !to?.type) return null; // not known; the check will report it
  if (!typesFit(from, to)) return `${from.type} cannot go to ${to.type}`;
  if (!unitsFit(from, to)) return `${from.unit} and ${to.unit} measure different quantities`;
  return sizesFit(from, to) ? null : `${sizeOf(from)} and ${sizeOf(to)} elements`;
}
export const fits = (from, to) => misfit(from, to) === null;

/** "Real, m: level of the water". */
export function describe(v) {
  if (!v) return "not a variable of this instance";
  const shape = v.dimensions?.length ? ` [${v.dimensions.map((d) => d.size ?? d.start ?? "?").join(" × ")}]` : "";
  const facts = [v.type + shape, v.unit, v.variability === "continuous" ? null : v.variability].filter(Boolean).join(", ");
  return v.description ? `${facts}: ${v.description}` : facts;
}

/** What a person types for a start value -> JSON; throws a sentence. */
export function parseValue(text, variable) {
  const t = text.trim();
  const kind = family(variable?.type);
  if (kind === "text") return text;
  if (t.startsWith("[")) return parseArray(t, kind);
  if (kind === "boolean") {
    if (/^(true|1|yes|on)$/i.test(t)) return true;
    if (/^(false|0|no|off)$/i.test(t)) return false;
    throw new Error("enter true or false");
  }
  const n = Number(t);
  if (t === "" || !Number.isFinite(n)) {
    if (kind === "unknown" && t) return /^(true|false)$/.test(t) ? t === "true" : t;
    throw new Error("enter a number");
  }
  if (/^u?int/i.test(variable?.type ?? "") && !Number.isInteger(n)) throw new Error("enter a whole number");
  if (variable?.min != null && n < variable.min) throw new Error(`at least ${variable.min}`);
  if (variable?.max != null && n > variable.max) throw new Error(`at most ${variable.max}`);
  return n;
}

function parseArray(text, kind) {
  let got;
  try { got = JSON.parse(text); } catch { throw new Error("an array looks like [1, 2.5]"); }
  const right = kind === "boolean" ? "boolean" : "number";
  if (!got.every((x) => typeof x === right)) throw new Error(`each element must be a ${right}`);
  return got;
}

export const showValue = (v) => (v == null ? "" : typeof v === "string" ? v : JSON.stringify(v));

/** May it be given before the start? */
export function isSettable(v) {
  if (v.causality === "independent" || v.variability === "constant" || v.causality === "calculatedParameter") return false;
  if (["parameter", "structuralParameter", "input"].includes(v.causality)) return true;
  return v.initial === "exact" || v.initial === "approx";
}
