// SPDX-License-Identifier: MIT
// Clauses that use an instance otherwise than as its FMU is made, as forms.
import { withField } from "./scenario.js";

/** A field: [name, label, kind, needed]; kinds: variable, input, output, number, numbers, whole, text. `put` makes the clause. */
const on = (word, value) => (value ? ` ${word} ${value}` : "");
export const CLAUSES = [
  { id: "convert", title: "Convert a unit", note: "The variable has another physical unit outside.", fields: [["variable", "Variable", "variable", true], ["from", "Inside", "text"], ["to", "Outside", "text", true]],
    put: (f) => `convert ${f.variable}${f.from ? ` ${f.from}` : ""} ${f.to}` },
  { id: "frame", title: "Scale and shift", note: "Outside it is gain times what it is inside, plus the offset.", fields: [["variable", "Variable", "variable", true], ["gain", "Gain", "number"], ["offset", "Offset", "number"]],
    put: (f) => `frame ${f.variable}${on("gain", f.gain)}${on("offset", f.offset)}` },
  { id: "negate", title: "Negate", note: "The other sign outside.", fields: [["variable", "Variable", "variable", true]], put: (f) => `negate ${f.variable}` },
  { id: "delay", title: "Delay", note: "The value of the step before, or of so many seconds before.", fields: [["variable", "Variable", "variable", true], ["by", "By (s)", "number"], ["start", "At first", "number"]],
    put: (f) => (f.by ? `delay ${f.variable} by ${f.by}` : `delay ${f.variable}${on("start", f.start)}`) },
  { id: "quantize", title: "Quantize", note: "Multiples of a step.", fields: [["variable", "Variable", "variable", true], ["step", "Step", "number", true], ["hysteresis", "Hysteresis", "number"]],
    put: (f) => `quantize ${f.variable} step ${f.step}${on("hysteresis", f.hysteresis)}` },
  { id: "multiply", title: "Multiply the rate", note: "So many steps inside of each step.", fields: [["n", "Times", "whole", true]], put: (f) => `multiply rate ${f.n}` },
  { id: "interpolate", title: "Interpolate an input", note: "Beside a multiplied rate: the input goes in a line.", fields: [["variable", "Input", "input", true]], put: (f) => `interpolate ${f.variable}` },
  { id: "iterate", title: "Iterate a loop", note: "The input is the output, at the end of each step: steps are repeated until both agree.", fields: [["variable", "Input", "input", true], ["from", "Output", "output", true], ["start", "At first", "number"], ["turns", "At most", "whole"]],
    put: (f) => `iterate ${f.variable} from ${f.from}${on("start", f.start)}${on("turns", f.turns)}` },
  { id: "locate", title: "Locate a crossing", note: "A step over the level ends where it is crossed.", fields: [["variable", "Variable", "variable", true], ["level", "Level", "number", true], ["tolerance", "Tolerance", "number"]],
    put: (f) => `locate ${f.variable} crosses ${f.level}${on("tolerance", f.tolerance)}` },
  { id: "levels", title: "Quantize to levels", note: "Of these levels the highest that it reaches.", fields: [["variable", "Variable", "variable", true], ["levels", "Levels", "numbers", true]],
    put: (f) => `quantize ${f.variable} at ${f.levels.trim().split(/[\s,]+/).join(" ")}` },
  { id: "reinitialise", title: "Begin anew at a jump", note: "Where the input differs by more from one step to the next.", fields: [["variable", "Input", "input", true], ["jump", "Jump above", "number", true], ["within", "Within (s)", "number"]],
    put: (f) => `reinitialise on ${f.variable} jump > ${f.jump}${on("within", f.within)}` },
  { id: "derivatives", title: "Derivatives by differences", note: "Rates of outputs, from steps ahead that are taken back.", fields: [["of", "Of (s)", "number"]], put: (f) => `derivatives by differences${on("of", f.of)}` },
  { id: "timed", title: "Run at its next event", note: "A step where the instance states its next event, and nowhere else.", fields: [], put: () => "run at next event" },
  { id: "divide", title: "Divide the rate", note: "One step inside of so many; outputs are held in between.", fields: [["n", "By", "whole", true]], put: (f) => `divide rate ${f.n} with hold` },
  { id: "run", title: "Run on a condition", note: "A step inside only where it holds, of inputs and t.", fields: [["when", "When", "text", true]], put: (f) => `run when ${f.when}` },
];

/** What is missing or wrong in a form, or null. */
export function formProblem(clause, values) {
  for (const [name, label, kind, needed] of clause.fields) {
    const text = (values[name] ?? "").trim();
    if (!text && needed) return `${label} is needed`;
    if (text && kind === "number" && !Number.isFinite(Number(text))) return `${label}: enter a number`;
    if (text && kind === "numbers" && !text.split(/[\s,]+/).every((n) => n && Number.isFinite(Number(n)))) return `${label}: enter numbers`;
    if (text && kind === "whole" && !/^[1-9]\d*$/.test(text)) return `${label}: enter a whole number above 0`;
  }
  return null;
}

const list = (v) => (Array.isArray(v) ? v : typeof v === "string" ? [v] : []);
export const clausesOf = (scenario, unit) => list(scenario?.adapt?.[unit]);

export function setClauses(scenario, unit, clauses) {
  const adapt = withField(scenario.adapt, unit, clauses.length ? clauses : undefined);
  return withField(scenario, "adapt", Object.keys(adapt).length ? adapt : undefined);
}

/** The part of the explicit text that is about an instance. */
export function programOf(text, unit) {
  const lines = text.split("\n"), found = [];
  let mine = false;
  for (const line of lines) {
    const [, head] = /^\/\/ (\{[^}]*\}\.[^:\s]+)/.exec(line) ?? [];
    if (head) mine = head === unit;
    if (mine) found.push(line);
  }
  return found.join("\n").trim();
}
