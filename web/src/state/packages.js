// SPDX-License-Identifier: MIT
// Structures of other tools: the service makes scenarios of them, and packages
// of scenarios.
import { app, scenarioNow, toast } from "./app.js";
import { getBlob, getText, post, sessionPath } from "../net/api.js";
import { blocksNow } from "./blocks.js";
import { edit, flush, sid } from "./session.js";
import { readText } from "../model/text.js";
import { count } from "../model/number.js";
import { withPlaces } from "../diagram/drawn.js";
import { sizesOf } from "../diagram/scene.js";
import { saveBlob } from "../ui/download.js";

/** Of SSP, MasterSim or OSP. */
export const isStructure = (f) => /\.(ssp|ssd|msim)$|^OspSystemStructure.*\.xml$/i.test(f.name);
/** Descriptions that lie beside it. */
export const isBeside = (f) => /_OspModelDescription\.xml$/i.test(f.name);

/** The file, which the session has, becomes its scenario. */
export async function openStructure(id, file) {
  const { warnings } = await post(`${sessionPath(id)}/files/${encodeURIComponent(file.name)}/open`);
  if (warnings.length) toast(`${file.name}: ${warnings[0].replace(/^warning: /, "")}${warnings.length > 1 ? ` and ${count(warnings.length - 1, "more warning")}` : ""}`);
  return readText(await getText(`${sessionPath(id)}/scenario`));
}

/** ... in the session that is open, where blocks go to its places. */
export async function takeStructure(file) {
  await flush();
  const scenario = await openStructure(sid(), file);
  app.set({ places: {} });
  edit(() => scenario);
}

/** The scenario with where its blocks are. */
export function placedScenario() {
  const { fmus, places } = app.get();
  const blocks = blocksNow(scenarioNow(), fmus);
  return withPlaces(scenarioNow(), blocks, sizesOf(blocks, new Set()), places);
}

export async function savePackage(version) {
  const { session } = app.get();
  try {
    if (placedScenario() !== scenarioNow()) edit(placedScenario);
    await flush();
    saveBlob(await getBlob(`${sessionPath(session.id)}/scenario.ssp?ssp=${version}`), `${session.name || "scenario"}.ssp`);
  } catch (e) {
    if (e.status !== 401) toast(e.message, "error");
  }
}
