// SPDX-License-Identifier: MIT
// The open session: loading it, editing its scenario, saving, checking.
import { app, NO_SESSION, scenarioNow, toast } from "./app.js";
import { change, get, getText, post, put, sessionPath } from "../net/api.js";
import { begin, push, redo, undo } from "../model/history.js";
import { keep, recall } from "./memory.js";
import { readText, textOf } from "../model/text.js";
import { suggestTimes } from "../model/suggest.js";
import { forgetRuns, loadRuns } from "./runs.js";
import { offerFirst } from "./files.js";

const SETTLE = 250; // ms after the last edit

let pending = null; // timer of the save to come
let saved = null;   // what the service has
let saves = 0;      // under way, one after the other:
let last = Promise.resolve();
let turn = 0;       // of checks: only the newest answer counts

export const sid = () => app.get().session?.id;
const memory = (id) => `session.${id}`;

export function closeSession() {
  flush();
  forgetRuns();
  app.set(NO_SESSION);
}

export async function openSession(id) {
  if (sid() === id) return;
  closeSession();
  app.set({ side: "unit", drawer: null });
  await load(id);
}

/** After the service was away: what it has now, but our edits stay, and what
 *  it did not receive is sent again. */
export function reloadSession() {
  const { route, session } = app.get();
  if (route.view !== "session") return;
  if (!session) return load(route.id);
  loadRuns().catch(() => {});
  flush().then(checkNow);
}

async function load(id) {
  try {
    const session = await get(sessionPath(id));
    const scenario = session.scenario ? readText(await getText(`${sessionPath(id)}/scenario`)) : null;
    const { places = {}, plots = null, shown = null } = recall(memory(id), {});
    saved = scenario;
    app.set({ session, history: begin(scenario), places, plots });
    await refreshUnits();
    await loadRuns(shown);
    offerFirst(id);
    if (!scenario) return;
    if (suggestTimes(scenario, app.get().fmus) === scenario) checkNow();
    else edit((s) => suggestTimes(s, app.get().fmus));
  } catch (e) {
    if (e.status === 404) {
      toast("This session is no longer there.", "error");
      location.hash = "#/";
    } else if (e.status !== 401 && e.status !== 0) toast(e.message, "error");
  }
}

/** Places, plots and shown runs survive a reload of the page. */
export function remember() {
  const { session, places, plots, shown } = app.get();
  if (session) keep(memory(session.id), { places, plots, shown });
}

export async function refreshSession() {
  const id = sid();
  const session = await get(sessionPath(id));
  if (sid() === id) app.set({ session });
}

export async function renameSession(name) {
  try {
    app.set({ session: await change(sessionPath(sid()), { name }) });
  } catch (e) {
    toast(e.message, "error");
  }
}

export async function refreshUnits() {
  const id = sid();
  const { fmus } = await get(`${sessionPath(id)}/units`);
  if (sid() === id) app.set({ fmus, unitsKnown: true });
}

/** The one door for edits: `change` takes the scenario and returns the next. */
export function edit(change, tag = null) {
  const { history } = app.get();
  app.set({ history: push(history, change(history.present ?? { fmus: {}, connections: {} }), tag) });
  later();
}
export function takeBack() {
  app.set((s) => ({ history: undo(s.history), selection: null }));
  later();
}
export function doAgain() {
  app.set((s) => ({ history: redo(s.history), selection: null }));
  later();
}

function later() {
  clearTimeout(pending);
  if (scenarioNow() === saved && !saves) return app.set({ saving: "saved" });
  app.set({ saving: "saving" });
  pending = setTimeout(flush, SETTLE);
}

/** Saves at once what waits to be saved, and has it checked. */
export async function flush() {
  clearTimeout(pending);
  const id = sid(), scenario = scenarioNow();
  if (!id || !scenario || (scenario === saved && !saves)) return;
  saves++;
  last = last.then(() => save(id, scenario));
  const news = await last;
  saves--;
  if (!news || sid() !== id) return;
  if (news.fmus) await refreshUnits().catch(() => {}); // the check states what is wrong
  await checkNow();
}

/** What is new for the service: whether there are other FMUs; null: nothing. */
async function save(id, scenario) {
  if (sid() === id && scenario === saved) return null;
  try {
    await put(`${sessionPath(id)}/scenario`, textOf(scenario));
    if (sid() !== id) return null;
    const fmus = JSON.stringify(saved?.fmus) !== JSON.stringify(scenario.fmus);
    saved = scenario;
    app.set({ saving: "saved" });
    return { fmus };
  } catch (e) {
    if (sid() === id) app.set({ saving: "failed" });
    if (e.status !== 0) toast(`not saved: ${e.message}`, "error");
    return null;
  }
}

export async function checkNow() {
  const mine = ++turn, id = sid(), scenario = scenarioNow();
  app.set({ checking: true });
  try {
    const check = await post(`${sessionPath(id)}/check`, textOf(scenario)); // the text people see: places are in it
    if (mine === turn && sid() === id) app.set({ check, checked: scenario, checking: false });
  } catch (e) {
    if (mine === turn) app.set({ check: null, checked: null, checking: false });
    if (e.status > 0 && e.status !== 401) toast(`check: ${e.message}`, "error");
  }
}

/** Whether the scenario on the screen is the one the service has. */
export const isSaved = () => scenarioNow() === saved;

/** Still to be saved, once the service can: after a full disk, or its absence. */
export const saveAgain = () => { if (app.get().saving === "failed") flush(); };

/** Who leaves with edits that are saved nowhere is asked. */
export function watchLeaving() {
  addEventListener("visibilitychange", () => { if (document.hidden) flush(); });
  addEventListener("beforeunload", (e) => { if (sid() && !isSaved()) e.preventDefault(); });
}
