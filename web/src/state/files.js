// SPDX-License-Identifier: MIT
// Files that were dropped or chosen: FMUs, tables, a scenario or a structure.
import { app, scenarioNow, toast } from "./app.js";
import { post, put, sessionPath, upload } from "../net/api.js";
import { edit, flush, refreshSession, refreshUnits, sid } from "./session.js";
import { addUnit, relocate } from "../model/scenario.js";
import { readText, textOf } from "../model/text.js";
import { goSession } from "./route.js";
import { blocksNow } from "./blocks.js";
import { offerFor } from "../model/offer.js";
import { instancesOf } from "../model/scenario.js";
import { isBeside, isStructure, openStructure, takeStructure } from "./packages.js";

const WANTED = "choose FMUs, tables (.csv), a scenario (.json) or a system structure (.ssp)";

const isJson = (f) => /\.json$/i.test(f.name);
const isUnit = (f) => /\.(fmu|csv)$/i.test(f.name);
const plain = (name) => name.replace(/\.\w+$/, "");

async function readScenario(files) {
  const file = files.find(isJson);
  if (!file) return null;
  try { return readText(await file.text()); } catch (e) { throw new Error(`${file.name}: ${e.message}`); }
}

async function send(id, files, onProgress) {
  for (const [i, f] of files.entries())
    await upload(`${sessionPath(id)}/files/${encodeURIComponent(f.name)}`, f,
      (part) => onProgress?.(`${f.name}`, (i + part) / files.length));
}

/** A first scenario for units that came without one. */
function scenarioOf(units) {
  return units.reduce((s, f) => addUnit(s, f.name)[0], { fmus: {}, connections: {} });
}

const unconnected = new Set(); // sessions made here of FMUs alone

/** Connections that fit are offered: of those instances, or of all. */
function offer(fresh) {
  const found = offerFor(blocksNow(scenarioNow(), app.get().fmus), fresh);
  if (found.length) app.set({ offer: found });
}

/** When a session is open and its FMUs are known. */
export const offerFirst = (id) => { if (unconnected.delete(id)) offer(null); };

/** On the first view: a new session from files. */
export async function sessionFromFiles(list, onProgress) {
  const files = [...list];
  const units = files.filter(isUnit), structure = files.find(isStructure);
  const doc = structure ? null : await readScenario(files);
  if (!doc && !units.length && !structure) throw new Error(WANTED);
  const named = structure ?? files.find(isJson) ?? units[0];
  const session = await post("/sessions", { name: plain(named.name) });
  if (structure) {
    await send(session.id, [...units, ...files.filter(isBeside), structure], onProgress);
    await openStructure(session.id, structure);
    goSession(session.id);
    return;
  }
  await send(session.id, units, onProgress);
  const scenario = doc ? relocate(doc, units.map((f) => f.name)) : scenarioOf(units);
  await put(`${sessionPath(session.id)}/scenario`, textOf(scenario));
  if (!doc) unconnected.add(session.id);
  goSession(session.id);
}

/** In a session: units are added, a scenario replaces the one there. */
export async function addFiles(list) {
  const files = [...list];
  const units = files.filter(isUnit), structure = files.find(isStructure);
  try {
    const doc = structure ? null : await readScenario(files);
    if (!doc && !units.length && !structure) throw new Error(WANTED);
    await send(sid(), structure ? [...units, ...files.filter(isBeside), structure] : units);
    await refreshSession();
    const names = app.get().session.files.map((f) => f.name);
    const before = new Set(instancesOf(scenarioNow() ?? {}).map((i) => i.unit));
    if (structure) await takeStructure(structure);
    else if (doc) edit(() => relocate(doc, names));
    else edit((s) => units.reduce((now, f) => addUnit(now, f.name)[0], s));
    await flush();
    await refreshUnits();
    if (!doc && !structure) offer(new Set(instancesOf(scenarioNow()).map((i) => i.unit).filter((u) => !before.has(u))));
  } catch (e) {
    toast(e.message, "error");
  }
}

export async function newFromExample(example, scenario) {
  const session = await post("/sessions", { example, scenario });
  goSession(session.id);
}
