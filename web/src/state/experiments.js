// SPDX-License-Identifier: MIT
// Named scenarios of a session: NAME.json beside its FMUs.
import { scenarioNow, toast } from "./app.js";
import { getText, put, remove, sessionPath } from "../net/api.js";
import { readText, textOf } from "../model/text.js";
import { edit, refreshSession, sid } from "./session.js";

const END = /\.json$/i;
const path = (name) => `${sessionPath(sid())}/files/${encodeURIComponent(`${name}.json`)}`;

export const experimentsOf = (session) => (session?.files ?? []).map((f) => f.name).filter((n) => END.test(n)).map((n) => n.replace(END, "")).sort();

/** Does it; true if it could be done. */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (e) {
    toast(e.message, "error");
    return false;
  }
}

export const keepExperiment = (name) => attempt(async () => {
  await put(path(name), textOf(scenarioNow()));
  await refreshSession();
});

export const openExperiment = (name) => attempt(async () => {
  const scenario = readText(await getText(path(name)));
  edit(() => scenario);
});

export const dropExperiment = (name) => attempt(async () => {
  await remove(path(name));
  await refreshSession();
});
