// SPDX-License-Identifier: MIT
// What the page thinks, without a browser.
import test from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import { brief, parseRef, parseUnit, shortNames } from "../../web/src/model/ref.js";
import { addUnit, connect, connectionsOf, disconnect, instancesOf, logVariable, relocate, removeUnit, setParameter } from "../../web/src/model/scenario.js";
import { begin, push, redo, undo } from "../../web/src/model/history.js";
import { difference, valueAt } from "../../web/src/model/compare.js";
import { ACCELERATIONS, APPROXIMATIONS, inWords, isDefault, MASTERS, METHODS, setAlgorithm, setMethod, settingsOf, setVaries, toDefaults } from "../../web/src/model/settings.js";
import { fits, isSettable, misfit, parseValue } from "../../web/src/model/variables.js";
import { placeAt, readText, textOf } from "../../web/src/model/text.js";
import { verdict } from "../../web/src/model/verdict.js";
import { blocksOf, placeOf, recordedOf, visiblePorts } from "../../web/src/model/blocks.js";
import { autoPlots } from "../../web/src/model/plots.js";
import { lastBefore, marks, search, shown, signals } from "../../web/src/model/events.js";
import { suggestTimes } from "../../web/src/model/suggest.js";
import { show, showBytes } from "../../web/src/model/number.js";
import { assemble, isSparse, overlay, spansGaps } from "../../web/src/plots/assemble.js";
import { RunData } from "../../web/src/data/series.js";
import { toward } from "../../web/src/diagram/scene.js";
import { contradictions, guilty, hintsOf, readTable, sweepColumns, sweepCurves, sweepProblems, withHint, withOptions, withoutHint, withSettings } from "../../web/src/model/study.js";
import { CLAUSES, clausesOf, formProblem, programOf, setClauses } from "../../web/src/model/adapt.js";
import { offerFor } from "../../web/src/model/offer.js";
import { highlight } from "../../web/src/model/highlight.js";
import { troubleOf } from "../../web/src/diagram/trouble.js";
import { decades } from "../../web/src/plots/svg.js";

const tank = () => ({
  fmus: { "{x1}": "controller.fmu", "{x2}": "tank.fmu" },
  connections: { "{x1}.c.valve": ["{x2}.t.valve"], "{x2}.t.level": ["{x1}.c.level"] },
  parameters: { "{x1}.c.maxLevel": 8 },
  algorithm: { type: "fixed-step", size: 0.1 },
  endTime: 100,
  "x-mine": { kept: [1, 2] },
});

test("names are split where the scenario says", () => {
  assert.deepEqual(parseRef("{a.b}.i.v.w[3]"), { unit: "{a.b}.i", key: "{a.b}", instance: "i", variable: "v.w[3]" });
  assert.deepEqual(parseRef("k.i.v"), { unit: "k.i", key: "k", instance: "i", variable: "v" });
  assert.deepEqual(parseUnit("{a}.i"), { key: "{a}", instance: "i" });
  for (const bad of ["", "{a}", "{a}.i", ".i.v", "abc"]) assert.equal(parseRef(bad), null, bad);
});

test("names are short where no other key has an instance of that name", () => {
  assert.deepEqual([...shortNames(["{a}.i.v", "{b}.i.w", "{b}.j.w", "time"]).values()], ["{a}.i.v", "{b}.i.w", "j.w", "time"]);
  const words = brief(["{a}.i", "{b}.i", "{b}.i", "{x.2}.tank", "{c}.k"]);
  assert.equal(words("instance '{x.2}.tank' has no variable 'x', {c}.k.v feeds {a}.i, {c}.kk and {b}.k"), "instance 'tank' has no variable 'x', k.v feeds {a}.i, {c}.kk and {b}.k");
  assert.equal(words("{\"{c}.k.v\": 1}, upper/{c}.k, up.{c}.k"), "{\"{c}.k.v\": 1}, upper/{c}.k, up.{c}.k"); // JSON, and instances inside
});

test("an input has one source, and edits keep what they do not know", () => {
  const s = connect(tank(), "{x2}.t.level", "{x2}.t.valve");
  assert.deepEqual(s.connections, { "{x2}.t.level": ["{x1}.c.level", "{x2}.t.valve"] });
  assert.deepEqual(s["x-mine"], { kept: [1, 2] });
  assert.deepEqual(s.parameters, tank().parameters);
  assert.deepEqual(connectionsOf(disconnect(s, "{x2}.t.level", "{x1}.c.level")), [{ from: "{x2}.t.level", to: "{x2}.t.valve" }]);
});

test("a unit does not vanish with its last connection", () => {
  let s = tank();
  for (const c of connectionsOf(s)) s = disconnect(s, c.from, c.to);
  assert.deepEqual(instancesOf(s).map((i) => i.unit).sort(), ["{x1}.c", "{x2}.t"]);
  assert.deepEqual(s.connections, {});
  const alone = { fmus: { "{b}": "b.fmu" }, parameters: { "{b}.one.e": 1 } };
  assert.deepEqual(instancesOf({ terminals: { "{a}.x.pin": ["{b}.y.pin"] } }).map((i) => i.unit), ["{a}.x", "{b}.y"]);
  assert.deepEqual(instancesOf(alone).map((i) => i.unit), ["{b}.one"]);
  assert.deepEqual(instancesOf(setParameter(alone, "{b}.one.e", undefined)).map((i) => i.unit), ["{b}.one"]);
});

test("units are added with free names and removed with all that names them", () => {
  const [s, unit] = addUnit(tank(), "my tank.fmu");
  assert.equal(unit, "{my_tank}.my_tank");
  assert.equal(s.fmus["{my_tank}"], "my tank.fmu");
  const [twice, other] = addUnit(s, "tank.fmu"); // another instance of a known FMU
  assert.equal(other, "{x2}.tank");
  const gone = removeUnit(removeUnit(twice, "{x2}.t"), "{x2}.tank");
  assert.deepEqual(gone.connections, {});
  assert.deepEqual(Object.keys(gone.fmus), ["{x1}", "{my_tank}"]);
  assert.deepEqual(instancesOf(gone).map((i) => i.unit).sort(), ["{my_tank}.my_tank", "{x1}.c"]);
  assert.deepEqual(gone.parameters, { "{x1}.c.maxLevel": 8 });
  assert.deepEqual(removeUnit(twice, "{x1}.c").parameters, {});
});

test("files are found by their names, wherever the scenario had them", () => {
  const s = relocate({ fmus: { a: "models/a%20b.fmu", b: "file:///x/c.fmu", d: "d.fmu", e: "C:\\m\\c.fmu" } }, ["a b.fmu", "c.fmu"]);
  assert.deepEqual(s.fmus, { a: "a b.fmu", b: "c.fmu", d: "d.fmu", e: "c.fmu" });
});

test("a scenario in place is a unit", () => {
  const s = { fmus: { "{a}": { fmus: { "{b}": "x/b.fmu" } }, "{n}": null }, instances: { "{a}": ["u"] } };
  assert.deepEqual(relocate(s, ["b.fmu"]).fmus, { "{a}": { fmus: { "{b}": "b.fmu" } }, "{n}": null });
  assert.equal(relocate(s, ["c.fmu"]), s);
  assert.equal(placeOf(blocksOf(s, [])[0]), "in this scenario");
  assert.equal(placeOf({ location: "b.fmu" }), "b.fmu");
  const [more, unit] = addUnit(s, s.fmus["{a}"]); // another instance of it
  assert.deepEqual([Object.keys(more.fmus), unit], [["{a}", "{n}"], "{a}.a"]);
});

test("undo and redo", () => {
  let h = begin(1);
  h = push(h, 2);
  h = push(h, 3, "typing");
  h = push(h, 4, "typing");
  assert.equal(undo(h).present, 2);
  assert.equal(undo(undo(h)).present, 1);
  assert.equal(undo(undo(undo(h))).present, 1);
  assert.equal(redo(redo(undo(undo(h)))).present, 4);
  assert.deepEqual(push(undo(h), 9).future, []);
});

test("differences: largest, where, and RMS, on other instants too", () => {
  const a = { time: [0, 1, 2], values: new Map([["x", [0, 1, 2]]]) };
  const b = { time: [0, 2], values: new Map([["x", [0, 6]]]) };
  assert.deepEqual(difference(a, b, "x"), { most: 4, at: 2, rms: Math.sqrt((0 + 4 + 16) / 3), n: 3, out: 0 });
  assert.equal(difference(a, b, "x", true).rms, Math.sqrt((0 + 1 + 16) / 3)); // held at 0, then 6
  assert.equal(difference(a, b, "y").n, 0);
  assert.equal(valueAt([0, 1], [5, 7], 0.5), 6);
  assert.equal(valueAt([0, 1], [5, 7], 0.5, true), 5);
  assert.equal(valueAt([0, 1], [5, 7], 1), 7);
  assert.equal(valueAt([0, 1], [5, 7], 1.1), null);
  assert.equal(valueAt([], [], 0), null);
});

test("settings: fixed and variable, error control, defaults", () => {
  const v = setVaries(tank(), true);
  assert.deepEqual(v.algorithm, { type: "var-step", size: [0.0001, 10], initsize: 0.1, constraints: { error: { type: "error", method: "richardson", abstol: 1e-3, reltol: 1e-3 } } });
  assert.deepEqual(setVaries(v, false).algorithm, { type: "fixed-step", size: 0.1 });
  const zero = { ...v, algorithm: { ...v.algorithm, constraints: { z: { type: "zerocrossing", ports: ["p"] } } } };
  const both = setMethod(zero, "orders", 0.01);
  assert.deepEqual(both.algorithm.constraints, { z: { type: "zerocrossing", ports: ["p"] }, error: { type: "error", abstol: 0.01, reltol: 0.01, method: "orders" } });
  assert.deepEqual(setMethod(both, "").algorithm.constraints, { z: { type: "zerocrossing", ports: ["p"] } });
  assert.deepEqual(setAlgorithm(v, "most", 3).algorithm.size, [0.0001, 3]);
  assert.equal(isDefault(tank()), true);
  const changed = { ...tank(), master: "gauss-seidel", threads: 2 };
  assert.equal(isDefault(changed), false);
  assert.deepEqual(toDefaults(changed), tank());
  assert.equal(settingsOf(tank()).step, 0.1);
  assert.equal(inWords(tank()), "From 0 s to 100 s in steps of 0.1 s, instances all at once, inputs held within a step.");
});

test("values people type", () => {
  const real = { type: "Real", min: 0 }, int = { type: "Int32" }, bool = { type: "Boolean" };
  assert.equal(parseValue(" 1e-3 ", real), 0.001);
  assert.equal(parseValue("yes", bool), true);
  assert.equal(parseValue("a b", { type: "String" }), "a b");
  assert.deepEqual(parseValue("[1, 2.5]", real), [1, 2.5]);
  assert.throws(() => parseValue("x", real), { message: "enter a number" });
  assert.throws(() => parseValue("-1", real), { message: "at least 0" });
  assert.throws(() => parseValue("1.5", int), { message: "enter a whole number" });
  assert.throws(() => parseValue("2", bool), { message: "enter true or false" });
  assert.throws(() => parseValue("[1,", real), { message: "an array looks like [1, 2.5]" });
});

test("which ports fit, and what may be set", () => {
  assert.equal(fits({ type: "Real" }, { type: "Boolean" }), true);
  assert.equal(fits({ type: "Float64" }, { type: "String" }), false);
  assert.equal(fits(null, { type: "String" }), true);
  assert.equal(fits({ type: "Real" }, { type: "Integer" }), false);
  assert.equal(fits({ type: "Integer" }, { type: "Real" }), true);
  assert.equal(fits({ type: "Float64", table: true }, { type: "Int32" }), true);
  assert.equal(misfit({ type: "Real", dimensions: [{ size: 3 }] }, { type: "Real" }), "3 and 1 elements");
  assert.equal(fits({ type: "Real", dimensions: [{ size: 6 }] }, { type: "Real", dimensions: [{ size: 2 }, { size: 3 }] }), true);
  assert.equal(isSettable({ causality: "parameter", variability: "fixed" }), true);
  assert.equal(isSettable({ causality: "output", initial: "calculated" }), false);
  assert.equal(isSettable({ causality: "output", initial: "exact" }), true);
  assert.equal(isSettable({ causality: "independent" }), false);
});

test("units of measure fit where they convert", () => {
  const v = (unit, dimension) => ({ type: "Real", unit, dimension });
  const speed = [0, 1, -1, 0, 0, 0, 0, 0], mass = [1, 0, 0, 0, 0, 0, 0, 0];
  assert.equal(misfit(v("m/s", speed), v("km/h", speed)), null);
  assert.equal(misfit(v("m/s", speed), v("kg", mass)), "m/s and kg measure different quantities");
  assert.equal(misfit(v("m/s", speed), v("m/s", mass)), null); // the name counts, as when it runs
  assert.equal(misfit(v("m/s", speed), v("furlong")), null);
  assert.equal(misfit(v(), v("kg", mass)), null);
});

test("the text of a scenario is the one that was written, until it is edited", () => {
  const text = '{"fmus": {},\n "x": 1e0}';
  const scenario = readText(text);
  assert.equal(textOf(scenario), text);
  assert.equal(textOf({ ...scenario, x: 2 }), '{\n  "fmus": {},\n  "x": 2\n}\n');
  assert.throws(() => readText('{\n  "a": 1\n  "b": 2\n}'), (e) => e.line === 3 && e.column === 3 && e.message.startsWith("line 3, column 3: "));
  assert.throws(() => readText("[]"), { message: "a scenario is a JSON object" });
  assert.deepEqual(placeAt("ab\ncd", 4), { line: 2, column: 2 });
});

test("'no problems' is said when all is known and well", () => {
  const ok = { check: { ok: true, problems: [], warnings: [] }, checking: false, current: true, saving: "saved", drafts: {}, run: null };
  const draft = { text: "x", message: "enter a number", what: "a.b", scope: "run" };
  const words = (more) => verdict({ ...ok, ...more })[1];
  assert.equal(words({}), "no problems");
  assert.equal(words({ checking: true }), "checking…");
  assert.equal(words({ current: false }), "checking…");
  assert.equal(words({ saving: "saving" }), "checking…");
  assert.equal(words({ saving: "failed" }), "not saved");
  assert.equal(words({ check: null }), "not checked");
  assert.equal(words({ drafts: { f: draft } }), "1 problem");
  assert.equal(words({ drafts: { f: { ...draft, scope: "step" } } }), "no problems");
  assert.equal(words({ run: { state: "failed", name: "run 2", message: "crashed" } }), "run 2 failed");
  assert.equal(words({ run: { state: "interrupted", name: "run 2" } }), "run 2 was interrupted");
  assert.equal(words({ run: { state: "failed", name: "run 2" }, drafts: { f: draft } }), "2 problems");
  assert.equal(words({ run: { state: "running", name: "run 2", warnings: [{ unit: "{a}.b", message: "started again" }] } }), "1 warning");
});

const fmus = [{ key: "{x2}", location: "tank.fmu", error: null, info: { defaultExperiment: { stepSize: 0.2, stopTime: 7 }, variables: [
  { name: "valve", type: "Boolean", causality: "input" }, { name: "level", type: "Real", causality: "output", unit: "m" }, { name: "h", type: "Real", causality: "output", unit: "m" }] } },
{ key: "{x1}", location: "controller.fmu", info: null, error: "no such file" }];

test("blocks have declared ports, then those that connections name", () => {
  const [controller, t] = blocksOf(connect(tank(), "{x1}.c.valve", "{x2}.t.typo"), fmus);
  assert.equal(controller.error, "no such file");
  assert.deepEqual(controller.outputs.map((p) => p.name), ["valve"]);
  assert.deepEqual(t.inputs.map((p) => [p.name, !!p.variable, p.connected]), [["valve", true, true], ["typo", false, true]]);
  const many = Array.from({ length: 30 }, (_, i) => ({ name: `p${i}`, connected: i === 29 }));
  const some = visiblePorts(many, 5, false);
  assert.deepEqual([some.shown.map((p) => p.name), some.hidden], [["p0", "p1", "p2", "p3", "p29"], 25]);
});

test("what is recorded is plotted by unit of measure", () => {
  const s = logVariable(tank(), "{x2}.t", "h");
  const recorded = recordedOf(s, blocksOf(s, fmus));
  assert.deepEqual(recorded.map((r) => r.ref), ["{x1}.c.valve", "{x2}.t.level", "{x2}.t.h"]);
  assert.deepEqual(autoPlots(recorded).map((p) => p.refs), [["{x1}.c.valve"], ["{x2}.t.level", "{x2}.t.h"]]);
});

test("patterns of record name what is plotted, too", () => {
  const of = (...record) => recordedOf({ ...tank(), record }, blocksOf(tank(), fmus)).map((r) => r.ref).slice(2);
  assert.deepEqual(of("h"), ["{x2}.t.h"]);
  for (const full of ["t.h", "{x2}.t.?", "{x2}*h", "*.h"]) assert.deepEqual(of(full), ["{x2}.t.h"], full);
  for (const none of ["x2.t.h", "H", "t.", "h.*", "["]) assert.deepEqual(of(none), [], none);
  assert.deepEqual(of("all"), ["{x2}.t.valve", "{x2}.t.h"]);
});

test("sizes are as the options of the service count them", () => {
  assert.deepEqual([1000, 2048, 3 * 2 ** 19, 2 ** 30, 5 * 2 ** 40].map(showBytes), ["1000 B", "2 KiB", "1.5 MiB", "1 GiB", "5120 GiB"]);
});

test("step and end come from the FMUs where nobody gave them", () => {
  const { algorithm, endTime, ...bare } = tank();
  assert.deepEqual([suggestTimes(bare, fmus).algorithm, suggestTimes(bare, fmus).endTime], [{ type: "fixed-step", size: 0.2 }, 7]);
  assert.deepEqual(suggestTimes(tank(), fmus), tank());
  const light = { fmus: { "{l}": "l.devs.json" }, endTime: 600 }, known = [{ key: "{l}", location: "l.devs.json", info: { kind: "devs" } }];
  assert.equal(suggestTimes(light, known), light); // from event to event: no step
  assert.equal(suggestTimes({ fmus: light.fmus }, known).endTime, 10);
});

test("curves of two runs keep their order on a common axis", () => {
  const data = (rows) => { const d = new RunData(1); d.take({ columns: ["a", "b"], time: rows.map((r) => r[0]), values: [rows.map((r) => r[1]), rows.map((r) => r[2])], rows_total: rows.length, decimated: false }); return d; };
  const one = data([[0, 1, 10], [1, 2, 20]]), two = data([[0, 3, 30], [1, 4, 40]]);
  const curves = [{ data: one, ref: "a" }, { data: two, ref: "a" }, { data: one, ref: "b" }, { data: two, ref: "b" }];
  assert.deepEqual(assemble(curves, null), [[0, 1], [1, 2], [3, 4], [10, 20], [30, 40]]);
});

const events = (...rows) => ({ time: rows.map((r) => r[0]), microstep: rows.map(() => 1), instance: rows.map((r) => r[1]), port: rows.map((r) => r[2]), value: rows.map((r) => r[3]), matching: rows.length, total: rows.length });

test("events are searched, listed by output and marked", () => {
  const all = events([1, "{l}.l", "colour", "green"], [2, "{p}.p", "order", "toWork"], [2, "{l}.l", "colour", "red"], [5, "{p}.p", "order", "toIdle"]);
  assert.deepEqual(signals(all), ["{l}.l.colour", "{p}.p.order"]);
  assert.deepEqual(search(all, ""), [0, 1, 2, 3]);
  assert.deepEqual(search(all, "P.ORDER work"), [1]);
  assert.deepEqual(search(all, "none"), []);
  assert.equal(lastBefore(all, "{l}.l.colour", 4), 2);
  assert.equal(lastBefore(all, "{p}.p.order", 1.5), -1);
  assert.deepEqual(marks(all, [1.5, 9], 10), [2, 5]); // each instant once
  assert.equal(marks(all, [0, 9], 2), null);
  assert.equal(shown("2.5000", String), "2.5");
  for (const text of ["green", "true", ""]) assert.equal(shown(text, String), text);
});

test("new events go behind those that are known, and a gap is noticed", () => {
  const d = new RunData(1);
  assert.equal(d.addEvents({ ...events([1, "{l}.l", "c", "a"]), first: 0 }), true);
  assert.equal(d.addEvents({ ...events([1, "{l}.l", "c", "a"], [2, "{l}.l", "c", "b"]), first: 0 }), true); // one of them again
  assert.deepEqual([d.events.time, d.events.total], [[1, 2], 2]);
  assert.equal(d.addEvents({ ...events([9, "{l}.l", "c", "z"]), first: 4 }), false);
  assert.deepEqual(d.events.time, [1, 2]);
  d.takePart(5, 6, events([5.5, "{l}.l", "c", "p"])); // zoomed in
  assert.deepEqual([d.events.time, d.whole.time], [[5.5], [1, 2]]);
});

test("both limits of an event stay when runs lie over each other", () => {
  const one = [[0, 1, 1, 2], [5, 6, -6, 7]], two = [[0.5, 1, 2, 2, 2], [1, 2, 3, null, 4]];
  assert.deepEqual(overlay([one, two]), [[0, 0.5, 1, 1, 2, 2, 2], [5, undefined, 6, -6, 7, undefined, undefined], [undefined, 1, 2, undefined, 3, null, 4]]);
  assert.deepEqual(overlay([[[], []], one]), [one[0], new Array(4).fill(undefined), one[1]]);
});

test("what is there at single instants only is sparse", () => {
  assert.ok(isSparse([0, 1, 1, 2, 3, 3], [null, null, 4, null, 5, 6]));
  assert.ok(!isSparse([0, 1, 2], [1, 2, 3]));
  assert.ok(!isSparse([0, 1, 2, 3], [null, 2, 3, null]));
  assert.ok(!isSparse([0, 1], [null, null]));
});

test("continuous curves go over rows within steps of others", () => {
  const within = { columns: ["a", "intermediate"] };
  assert.ok(spansGaps({ data: within, stepped: false }));
  assert.ok(!spansGaps({ data: within, stepped: true }));
  assert.ok(!spansGaps({ data: { columns: ["a"] }, stepped: false }));
  assert.ok(!spansGaps({ data: { columns: null }, stepped: false }));
});

test("thinning keeps the far side of a jump before a pause", () => {
  const d = new RunData(1);
  d.begin(["x"]);
  const t = Array.from({ length: 8000 }, (_, k) => k / 8000);
  d.append([...t, 1, 1, 500, 1000], [[...t.map(() => 0), 0, 1, 1, 1]]);
  assert.deepEqual([d.time.at(-3), d.values.get("x").at(-3)], [1, 1]);
  assert.deepEqual([d.time.at(-2), d.time.at(-1)], [500, 1000]);
});

test("a long stream is thinned evenly and keeps its ends", () => {
  const d = new RunData(1);
  d.begin(["x"]);
  const rows = (from, n, h) => Array.from({ length: n }, (_, k) => from + k * h);
  d.append(rows(0, 50000, 2), [rows(0, 50000, 2)]); // one coarse batch, then many fine ones
  for (let i = 0; i < 900; i += 1) d.append(rows(1e5 + i * 1000, 1000, 1), [rows(1e5 + i * 1000, 1000, 1)]);
  assert.ok(d.time.length > 2000 && d.time.length <= 8000, `${d.time.length} rows`);
  assert.equal(d.total, 950000);
  assert.equal(d.time[0], 0);
  assert.equal(d.time.at(-1), 999999);
  assert.deepEqual(d.values.get("x"), d.time);
  const gaps = d.time.slice(1, -1).map((t, i) => t - d.time[i]);
  assert.ok(Math.max(...gaps) <= 4 * Math.min(...gaps), `${Math.min(...gaps)} to ${Math.max(...gaps)}`);
  d.append([1000000], [[true]]);
  assert.equal(d.last("x"), 1);
  assert.equal(d.time.at(-1), 1000000);
});

test("a closer look is used only where it covers the range", () => {
  const d = new RunData(1);
  d.take({ columns: ["x"], time: [0, 10], values: [[0, 1]], rows_total: 99, decimated: true });
  d.takeDetail(2, 4, { columns: ["x"], time: [2, 3, 4], values: [[1, 2, 3]] });
  assert.equal(d.look([2.5, 3]).time.length, 3);
  assert.equal(d.look([1, 3]).time.length, 2);
  assert.equal(d.look(null).time.length, 2);
});

test("arrow keys go to what is meant", () => {
  const p = (name, x, y) => ({ name, x, y });
  const all = [p("a", 0, 0), p("below", 0, 22), p("right", 100, 10), p("far", 100, 300)];
  assert.equal(toward(all, all[0], "ArrowDown").name, "below");
  assert.equal(toward(all, all[0], "ArrowRight").name, "right");
  assert.equal(toward(all, all[2], "ArrowLeft").name, "a");
  assert.equal(toward(all, all[0], "ArrowUp"), null);
});

test("trouble is told at its unit and port", () => {
  const t = troubleOf({ problems: [{ message: "no", unit: "{a}.i", port: "v" }, { message: "all", unit: null }], warnings: [{ message: "hm", unit: "{a}.i", port: "w" }] },
    { state: "failed", unit: "{b}.j", name: "run 1", message: "crashed" });
  assert.deepEqual(t.units.get("{a}.i"), { level: "error", loud: true, messages: ["no", "hm"] });
  assert.deepEqual(t.units.get("{b}.j"), { level: "error", loud: true, messages: ["run 1: crashed"] });
  const again = troubleOf({ problems: [], warnings: [] }, { state: "running", name: "run 1", warnings: [{ unit: "{b}.j", message: "started again" }] },
    { f: { text: "x", message: "enter a number", what: "i.v", scope: "run", unit: "{a}.i" } });
  assert.deepEqual([...again.units], [["{a}.i", { level: "error", loud: true, messages: ["i.v: enter a number, not “x”"] }],
    ["{b}.j", { level: "warning", loud: true, messages: ["run 1: started again"] }]]);
  assert.deepEqual([...t.ports], [["{a}.i.v", "error"], ["{a}.i.w", "warning"]]);
});

test("an axis by ratios has numbers within a decade, too", () => {
  assert.deepEqual(decades([0.0005, 0.2]), [0.001, 0.01, 0.1]);
  assert.deepEqual(decades([70, 500]), [100, 200, 500]);
  assert.deepEqual(decades([2.5, 4]), [2.5]);
});

test("numbers for people", () => {
  assert.deepEqual([0, 0.1 + 0.2, 1e-7, 123456789, NaN, null, 45].map((x) => show(x)), ["0", "0.3", "1e-7", "1.235e+8", "–", "–", "45"]);
});

test("the guilty connection is the one that carries most, unless the model grows itself", () => {
  const found = { verdict: "unstable", model: { unstable: false }, mode: { connections: [{ name: "{a}.a.y -> {b}.b.u", part: 0.7 }, { name: "{b}.b.y -> {a}.a.u", part: 0.3 }] } };
  assert.deepEqual([guilty(found).from, guilty(found).to], ["{a}.a.y", "{b}.b.u"]);
  assert.equal(guilty({ ...found, verdict: "stable" }), null);
  assert.equal(guilty({ ...found, model: { unstable: true } }), null);
  assert.equal(guilty(null), null);
});

test("what was found is laid over a scenario as options are, and leaves what it does not name", () => {
  const s = { endTime: 1, master: "jacobi", iterate: 3, rates: { "{c}.c": 2 }, algorithm: { type: "fixed-step", size: 1 } };
  assert.deepEqual(withOptions(s, "--master gauss-seidel --order {b}.b,{a}.a --approximation hold --iterate 2"),
    { ...s, master: "gauss-seidel", order: ["{b}.b", "{a}.a"], approximation: "hold", iterate: 2 });
  assert.deepEqual(withOptions(s, "--step 0.12"), { ...s, algorithm: { type: "fixed-step", size: 0.12 } });
  assert.deepEqual(withOptions(s, "--rates {a}.a=4,{b}.b=4"), { ...s, rates: { "{c}.c": 2, "{a}.a": 4, "{b}.b": 4 } });
  assert.deepEqual(withSettings({ endTime: 1, master: "jacobi", iterate: 3, algorithm: s.algorithm }, { master: "gauss-seidel", iterate: null, algorithm: { type: "fixed-step", size: 0.1, initsize: null } }),
    { endTime: 1, master: "gauss-seidel", algorithm: { type: "fixed-step", size: 0.1 } });
});

test("the table of a sweep becomes curves over its first parameter", () => {
  const table = readTable("point,m,d,{a}.a.x.final,{a}.a.x.min,state,problem\n0,2,1,5,1,done,\n1,1,1,4,1,done,\n2,1,2,3,0,done,\n3,2,2,,,failed,\"a, \"\"b\"\"\"\n");
  assert.deepEqual(sweepColumns(table.names), { parameters: ["m", "d"], results: [{ ref: "{a}.a.x", take: "final", column: 3 }, { ref: "{a}.a.x", take: "min", column: 4 }] });
  assert.deepEqual(sweepCurves(table, 3), [{ name: "d = 1", x: [1, 2], y: [4, 5] }, { name: "d = 2", x: [1], y: [3] }]);
  assert.deepEqual(sweepProblems(table), [{ point: "3", problem: "a, \"b\"" }]);
});

test("clauses come from forms, and go with the last one", () => {
  const clause = (id, values) => { const c = CLAUSES.find((k) => k.id === id); return formProblem(c, values) ?? c.put(values); };
  assert.equal(clause("convert", { variable: "h", to: "m" }), "convert h m");
  assert.equal(clause("frame", { variable: "h", offset: "-2" }), "frame h offset -2");
  assert.equal(clause("delay", { variable: "h", by: "0.1", start: "3" }), "delay h by 0.1");
  assert.equal(clause("divide", { n: "0" }), "By: enter a whole number above 0");
  assert.equal(clause("quantize", { variable: "h" }), "Step is needed");
  assert.equal(clause("levels", { variable: "h", levels: "0, 1.5 x" }), "Levels: enter numbers");
  assert.equal(clause("levels", { variable: "h", levels: "0, 1.5 2" }), "quantize h at 0 1.5 2");
  assert.equal(clause("iterate", { variable: "u", from: "y", turns: "9" }), "iterate u from y turns 9");
  assert.equal(clause("timed", {}), "run at next event");
  const one = setClauses({ endTime: 1 }, "{a}.a", ["negate h"]);
  assert.deepEqual(clausesOf(one, "{a}.a"), ["negate h"]);
  assert.deepEqual(setClauses(one, "{a}.a", []), { endTime: 1 });
  assert.deepEqual(clausesOf({ adapt: { "{a}.a": "negate h" } }, "{a}.a"), ["negate h"]);
  assert.equal(programOf("// {a}.a: x\none\n\n// {b}.b: y\ntwo\n", "{b}.b"), "// {b}.b: y\ntwo");
});

test("connections are offered where one output alone fits", () => {
  const real = (name, unit) => ({ name, type: "Real", unit });
  const port = (unit, name, measure, connected = false) => ({ name, ref: `${unit}.${name}`, variable: real(name, measure), connected });
  const a = { unit: "{a}.a", inputs: [port("{a}.a", "Force_in", "N")], outputs: [port("{a}.a", "x", "m"), port("{a}.a", "v", "m/s")] };
  const b = { unit: "{b}.b", inputs: [port("{b}.b", "x", "m"), port("{b}.b", "w", "m/s"), port("{b}.b", "taken", "m", true)], outputs: [port("{b}.b", "forceIn", "N")] };
  assert.deepEqual(offerFor([a, b]), [{ from: "{b}.b.forceIn", why: "nearly the same name", to: "{a}.a.Force_in" },
    { from: "{a}.a.x", why: "the same name", to: "{b}.b.x" }, { from: "{a}.a.v", why: "the only output in m/s", to: "{b}.b.w" }]);
  assert.deepEqual(offerFor([a, b], new Set(["{c}.c"])), []);
});

test("JSON in colours is the same text, and no markup", () => {
  assert.equal(highlight("{\"a<\": [-1.5e3, true, \"x:\\\"\"]}"),
    "{<span class=\"j-key\">\"a&lt;\"</span>: [<span class=\"j-num\">-1.5e3</span>, <span class=\"j-lit\">true</span>, <span class=\"j-str\">\"x:\\\"\"</span>]}");
});

test("the settings offer every word that a scenario may have", () => {
  const schema = JSON.parse(fs.readFileSync(new URL("../../docs/reference/scenario.schema.json", import.meta.url), "utf8"));
  const offered = (options) => options.map((o) => o[0]).filter(Boolean);
  const words = (node) => node.enum.filter((w) => w !== null);
  const { properties, $defs } = schema;
  assert.deepEqual(offered(MASTERS), words(properties.master));
  assert.deepEqual(offered(APPROXIMATIONS), words($defs.approximation));
  assert.deepEqual(offered(METHODS), words($defs.constraint.properties.method));
  assert.deepEqual(offered(ACCELERATIONS), words(properties.acceleration));
});

test("hints are added to those of the file, and removed", () => {
  const of = { name: "x", hints: [{ name: "rest", settles: "a", to: 0, tolerance: 0.1 }] };
  const more = withHint(of, "never", "{a}.a.x > 1");
  assert.deepEqual(hintsOf(more), ['{"name":"rest","settles":"a","to":0,"tolerance":0.1}', "never {a}.a.x > 1"]);
  assert.deepEqual(withoutHint(more, 1), of);
  assert.deepEqual(withoutHint(of, 0), { name: "x" });
  assert.deepEqual(hintsOf({}), []);
  assert.deepEqual(withHint({ hints: 3 }, "always", "t > 0").hints, [{ always: "t > 0" }]);
  const named = "The hint 'up' contradicts the model: A at 1 s violates it.";
  assert.deepEqual(contradictions({ reasons: ["A is good, too.", named] }), [named]);
});
