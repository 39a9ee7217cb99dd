// SPDX-License-Identifier: MIT
// Runs of the session: starting, steering, choosing which are shown.
import { app, announce, toast } from "./app.js";
import { change, get, post, remove, runPath, sessionPath } from "../net/api.js";
import { dropData, endAllData, followRun } from "../data/feed.js";
import { draftsOf } from "../model/verdict.js";
import { flush, isSaved, remember, sid } from "./session.js";
import { setStudies } from "./studies.js";

export const ACTIVE = new Set(["queued", "running", "paused", "stopping"]);
export const isActive = (run) => ACTIVE.has(run?.state);

export const runOf = (n) => app.get().runs.find((r) => r.id === n);
/** The run the page shows: the active one last started, else the newest. */
export function currentRun(s = app.get()) {
  return s.runs.findLast(isActive) ?? s.runs.at(-1) ?? null;
}

/** A run without a name is called by its number. */
const named = (run) => ({ ...run, name: run.name || `run ${run.id}` });

/** What came of a run. Answers and messages of the stream may overtake each
 *  other: an older state does not replace a newer one, and a run that has ended
 *  does not go on. */
export function takeRun(state) {
  const run = named(state);
  const { runs, session } = app.get();
  if (!session || run.session !== session.id) return;
  const old = runs.find((r) => r.id === run.id);
  if (old && isActive(run) && (!isActive(old) || run.revision < old.revision)) return;
  const next = old ? runs.map((r) => (r.id === run.id ? run : r)) : [...runs, run].sort((a, b) => a.id - b.id);
  app.set({ runs: next });
  if (old && isActive(old) && !isActive(run)) announce(`${run.name}: ${run.message ?? run.state}`);
}

/** Rows report how far a run is, more often than its states do. */
export function advanceRun(n, time) {
  const run = runOf(n);
  if (!run || !isActive(run) || !(time > (run.time ?? -Infinity))) return;
  const progress = run.end == null ? run.progress : Math.min(1, Math.max(0, (time - run.start) / (run.end - run.start || 1)));
  takeRun({ ...run, time, progress });
}

export function forgetRuns() {
  clearTimeout(poll);
  endAllData();
}

/** All runs of the session. What is started or chosen while the answer is under
 *  way stays. */
export async function loadRuns(wanted = app.get().shown) {
  const id = sid();
  const { runs: known, shown: before } = app.get();
  const all = await get(`${sessionPath(id)}/runs`);
  if (id !== sid()) return;
  const runs = all.filter((r) => r.kind === "run");
  const there = new Set(runs.map((r) => r.id));
  app.set((s) => ({ runs: s.runs.filter((r) => there.has(r.id) || !known.some((k) => k.id === r.id)) }));
  runs.forEach(takeRun);
  setStudies(all.filter((r) => r.kind !== "run"));
  if (app.get().shown === before) {
    const kept = (wanted ?? []).filter((n) => there.has(n));
    const next = kept.length || !runs.length ? kept : [runs.at(-1).id];
    next.forEach(followRun); // curves first: plots look for them at once
    app.set({ shown: next });
  }
  watchOthers();
}

let poll = null;
/** Active runs that no socket follows are asked for now and then. */
function watchOthers() {
  clearTimeout(poll);
  const { runs, shown } = app.get();
  if (!runs.some((r) => isActive(r) && !shown.includes(r.id))) return;
  poll = setTimeout(() => loadRuns().catch(() => watchOthers()), 2000);
}

export function showRun(n, on) {
  if (on) followRun(n);
  app.set((s) => ({ shown: on ? [...s.shown.filter((x) => x !== n), n].sort((a, b) => a - b) : s.shown.filter((x) => x !== n) }));
  if (!on) dropData(n);
  remember();
  watchOthers();
}

/** Starts one and shows it, alone unless several are being compared. */
export async function startRun({ stepwise = false } = {}) {
  try {
    if (draftsOf(app.get().drafts).length) { app.set({ drawer: "problems" }); return; }
    await flush();
    if (!isSaved()) return; // flush reported why
    const run = named(await post(`${sessionPath(sid())}/runs`, stepwise ? { stepwise: true } : {}));
    takeRun(run);
    followRun(run.id);
    const { shown, layout } = app.get();
    const beside = shown.length > 1 ? shown : []; // who compares goes on comparing
    app.set({ shown: [...beside, run.id], range: null, layout: layout === "diagram" ? "both" : layout });
    shown.filter((n) => !beside.includes(n)).forEach(dropData);
    remember();
    announce(`${run.name} started`);
  } catch (e) {
    if (e.status) toast(e.message, "error");
  }
}

export async function steer(n, verb) {
  try {
    takeRun(await post(`${runPath(sid(), n)}/${verb}`));
  } catch (e) {
    toast(e.message, "error");
  }
}

/** A step of a paused run; answers {time, state, values} or null. */
export async function stepRun(n, request) {
  try {
    const got = await post(`${runPath(sid(), n)}/step`, request);
    if (isActive(got)) takeRun({ ...runOf(n), time: got.time, state: got.state });
    else takeRun(await get(runPath(sid(), n)));
    return got;
  } catch (e) {
    toast(e.message, "error");
    return null;
  }
}

/** Another name or note. */
export async function describeRun(n, words) {
  try {
    takeRun(await change(runPath(sid(), n), words));
  } catch (e) {
    toast(e.message, "error");
  }
}

export async function deleteRun(n) {
  try {
    await remove(runPath(sid(), n));
    dropData(n);
    app.set((s) => ({ runs: s.runs.filter((r) => r.id !== n), shown: s.shown.filter((x) => x !== n) }));
    remember();
  } catch (e) {
    toast(e.message, "error");
  }
}
