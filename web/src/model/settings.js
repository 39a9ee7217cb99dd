// SPDX-License-Identifier: MIT
// How a scenario is played, as the panel sees it, and in words.
import { withField } from "./scenario.js";
import { show } from "./number.js";

export const MASTERS = [
  ["jacobi", "All at once (Jacobi)", "All instances step from the same values. Simple, and instances may step at the same time."],
  ["gauss-seidel", "One after the other (Gauss-Seidel)", "Each instance sees the newest values of those before it. Often more accurate for the same step."],
];
export const APPROXIMATIONS = [
  ["hold", "Hold", "Inputs stay what they were at the beginning of the step."],
  ["linear", "Linear", "Inputs go on in a straight line. Smooth signals become more accurate."],
  ["quadratic", "Quadratic", "Inputs go on along a parabola through the last three points."],
  ["cubic", "Cubic", "Inputs go on along a cubic through the last four points."],
  ["hermite", "Hermite", "A cubic that also uses the outputs' derivatives."],
  ["extrapolated-interpolation", "Extrapolated interpolation", "Extrapolated, but without a jump between steps."],
  ["linear-extrapolated-interpolation", "Linear extrapolated interpolation", "The same with straight lines."],
  ["waveform", "Waveform", "As the source went within the step, in the turn before: for iterated steps."],
  ["model", "Predicted by a model", "A small predictor per input learns from its past; signals of linear systems are met."],
];
export const METHODS = [
  ["", "None", "The step is limited by the constraints of the scenario only."],
  ["richardson", "Step doubling (Richardson)", "Each step is made once whole and once in halves; the difference is the error. Safe, needs instances that can be rolled back."],
  ["orders", "Two orders", "Inputs are predicted with two orders; their difference is the error. Cheap."],
  ["milne", "Prediction error (Milne)", "What inputs became is compared with what was predicted. Cheap."],
  ["energy", "Energy", "The power that connections gain or lose is the error. Needs power bonds."],
  ["embedded", "Two methods (embedded)", "Each step is made with inputs of two orders; the difference of the results is the error. Needs instances that can be rolled back."],
  ["own", "Estimates of the instances", "Outputs that state an error of their own; name them as \"ports\" of the constraint."],
];
export const ACCELERATIONS = [
  ["none", "None", "What a turn gives is tried next."],
  ["relax", "Relaxation", "Go only part of the way. For loops that overshoot."],
  ["aitken", "Aitken", "Part of the way, measured anew each turn."],
  ["anderson", "Anderson", "Learns from the last turns. Few turns for many instances."],
  ["newton", "Newton", "Measures how the loop reacts. Fewest turns, each a little dearer."],
];
export const ITERATIONS = [
  ["", "No", "Each step is made once."],
  ["converged", "Until instances agree", "Each step is repeated until inputs and outputs agree. Needs instances that can be rolled back."],
];

export const sentence = (options, value) => options.find((o) => o[0] === value)?.[2] ?? "";

const errorName = (constraints) => Object.keys(constraints ?? {}).find((n) => constraints[n]?.type?.toLowerCase() === "error");

/** The fields of the panel; undefined where the scenario states nothing. */
export function settingsOf(s) {
  const a = s.algorithm ?? {};
  const varies = a.type === "var-step";
  const [least, most] = varies && Array.isArray(a.size) ? a.size : [];
  const name = errorName(a.constraints);
  return { varies, step: varies ? undefined : a.size, least, most, first: a.initsize,
    method: name ? a.constraints[name].method ?? "" : "", tolerance: name ? a.constraints[name].abstol : undefined,
    start: s.startTime, end: s.endTime, master: s.master,
    approximation: typeof s.approximation === "object" ? s.approximation?.default : s.approximation,
    perInput: typeof s.approximation === "object" ? Object.keys(s.approximation ?? {}).filter((k) => k !== "default").length : 0,
    iterate: s.iterate, acceleration: s.acceleration, threads: s.threads, realTime: s.realTime?.factor ?? (s.realTime ? 1 : undefined) };
}

/** Fixed or variable; the step on the one side becomes a good start on the other. */
export function setVaries(s, varies) {
  const old = settingsOf(s);
  const a = s.algorithm ?? {};
  const { size: _1, initsize: _2, type: _3, constraints, ...rest } = a;
  if (!varies) return { ...s, algorithm: { type: "fixed-step", size: old.first ?? 0.01, ...rest } };
  const step = old.step ?? 0.01;
  const span = Number(s.endTime ?? 10) - Number(s.startTime ?? 0);
  return { ...s, algorithm: { type: "var-step", size: [step / 1000, Math.max(span / 10, step)], initsize: step, ...rest,
    constraints: constraints ?? { error: { type: "error", method: "richardson", abstol: 1e-3, reltol: 1e-3 } } } };
}

export function setAlgorithm(s, field, value) {
  const a = s.algorithm ?? { type: "fixed-step" };
  if (field === "step") return withField(s, "algorithm", value === undefined ? undefined : { ...a, type: "fixed-step", size: value });
  if (field === "first") return { ...s, algorithm: withField(a, "initsize", value) };
  const [least, most] = a.size ?? [];
  return { ...s, algorithm: { ...a, size: field === "least" ? [value ?? least, most] : [least, value ?? most] } };
}

/** Error control: one constraint of that type; the others stay. */
export function setMethod(s, method, tolerance) {
  const a = s.algorithm ?? {};
  const name = errorName(a.constraints) ?? "error";
  const old = a.constraints?.[name] ?? { type: "error", abstol: 1e-3, reltol: 1e-3 };
  const tol = tolerance === undefined ? {} : { abstol: tolerance, reltol: tolerance };
  return { ...s, algorithm: { ...a, constraints: withField(a.constraints, name, method ? { ...old, method, ...tol } : undefined) } };
}

export function setApproximation(s, value) {
  if (typeof s.approximation !== "object" || !s.approximation) return withField(s, "approximation", value);
  return { ...s, approximation: withField(s.approximation, "default", value) };
}

export function setRealTime(s, factor) {
  return withField(s, "realTime", factor === undefined ? undefined : { ...(s.realTime ?? {}), factor });
}

const FIELDS = ["master", "approximation", "iterate", "acceleration", "threads", "realTime"];
export const isDefault = (s) => FIELDS.every((f) => s[f] === undefined);
/** All that has a default goes back to it; step and times stay. */
export const toDefaults = (s) => FIELDS.reduce((now, f) => withField(now, f, undefined), s);

/** One sentence on what will happen. */
export function inWords(s) {
  const o = settingsOf(s);
  const step = o.varies ? `steps between ${show(o.least)} and ${show(o.most)} s` : o.step ? `steps of ${show(o.step)} s` : "steps from event to event or as the FMUs suggest";
  const turns = (o.master ?? "jacobi") === "jacobi" ? "all at once" : "one after the other";
  const inputs = (o.approximation ?? "hold") === "hold" ? "inputs held within a step" : `inputs ${o.approximation} within a step`;
  const repeat = o.iterate === "converged" ? ", repeated until the instances agree" : o.iterate ? `, repeated ${o.iterate} times` : "";
  const end = o.end === null ? "with an open end" : o.end === undefined ? "to the FMUs' own end" : `to ${show(o.end)} s`;
  return `From ${show(o.start ?? 0)} s ${end} in ${step}, instances ${turns}, ${inputs}${repeat}.`;
}
