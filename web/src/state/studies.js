// SPDX-License-Identifier: MIT
// Studies of the session: stability, settings, sweeps. The service has them as runs.
import { app, announce, scenarioNow, toast, useApp } from "./app.js";
import { get, getText, post, remove, runPath, sessionPath } from "../net/api.js";
import { readTable } from "../model/study.js";
import { flush, isSaved, sid } from "./session.js";

const EVERY = 400; // ms between looks at one that runs
const ACTIVE = new Set(["queued", "running", "stopping"]);
export const isBusy = (study) => ACTIVE.has(study?.state);

let timer = null;

/** The newest of a kind, or null. */
export const useStudy = (kind) => useApp((s) => s.studies.findLast((x) => x.kind === kind) ?? null);

/** What it found, once it is there: its summary, and the table of a sweep. */
export const useFinding = (study) => useApp((s) => (study ? s.findings[study.id] ?? null : null));

async function load(study) {
  const id = sid(), path = runPath(id, study.id);
  try {
    const summary = await get(`${path}/summary`);
    const table = study.kind === "sweep" ? readTable(await getText(`${path}/results.csv`)) : null;
    if (sid() === id) app.set((s) => ({ findings: { ...s.findings, [study.id]: { summary, table } } }));
  } catch (e) {
    if (e.status !== 404) toast(e.message, "error"); // it ended without one
  }
}

function take(study) {
  const before = app.get().studies.find((x) => x.id === study.id);
  app.set((s) => ({ studies: [...s.studies.filter((x) => x.id !== study.id), { ...study, of: before?.of ?? study.of }].sort((a, b) => a.id - b.id) }));
  if (!isBusy(study) && isBusy(before)) { announce(study.message ?? study.state); load(study); }
}

async function look() {
  const id = sid();
  for (const study of app.get().studies.filter(isBusy)) {
    const now = await get(runPath(id, study.id)).catch(() => null); // the service may be away
    if (sid() !== id) return;
    if (now) take(now);
  }
  watch();
}

function watch() {
  clearTimeout(timer);
  if (app.get().studies.some(isBusy)) timer = setTimeout(look, EVERY);
}

/** Those the session has, when it is opened. */
export function setStudies(studies) {
  app.set((s) => ({ studies: studies.map((x) => ({ ...x, of: s.studies.find((y) => y.id === x.id)?.of })) }));
  for (const study of studies) if (!isBusy(study) && !app.get().findings[study.id]) load(study);
  watch();
}

export async function startStudy(kind, options) {
  try {
    await flush();
    if (!isSaved()) return;
    const of = scenarioNow();
    take({ ...await post(`${sessionPath(sid())}/runs`, { kind, options }), of });
    watch();
  } catch (e) {
    if (e.status) toast(e.message, "error");
  }
}

export async function stopStudy(study) {
  try {
    take(await post(`${runPath(sid(), study.id)}/stop`));
    watch();
  } catch (e) {
    toast(e.message, "error");
  }
}

export async function dropStudy(study) {
  try {
    await remove(runPath(sid(), study.id));
    app.set((s) => ({ studies: s.studies.filter((x) => x.id !== study.id) }));
  } catch (e) {
    toast(e.message, "error");
  }
}
