// SPDX-License-Identifier: MIT
// Is the service there? Asked now and then, and more often while it is not.
import { app } from "./app.js";
import { get } from "../net/api.js";
import { setToken } from "../net/token.js";
import { reloadSession, saveAgain } from "./session.js";

const CALM = 5000, WORRIED = 1000;

async function look() {
  const was = app.get().gone;
  try {
    const service = await get("");
    app.set({ service, gone: false, tokenWanted: false });
    if (was) reloadSession();
    else saveAgain();
  } catch { /* api.js noted it */ }
}

export function watchService() {
  const again = async () => {
    if (!document.hidden && !app.get().tokenWanted) await look();
    setTimeout(again, app.get().gone ? WORRIED : CALM);
  };
  again();
}

/** A token was typed: try it, and start over with it. */
export async function tryToken(text) {
  setToken(text);
  await look();
  if (app.get().tokenWanted) {
    app.set({ tokenWanted: "refused" });
    return;
  }
  dispatchEvent(new HashChangeEvent("hashchange"));
}
