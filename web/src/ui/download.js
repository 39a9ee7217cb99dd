// SPDX-License-Identifier: MIT
// Saving a file of the service. A link cannot bring a token, a fetch can.
import { toast } from "../state/app.js";
import { getBlob, urlOf } from "../net/api.js";
import { token } from "../net/token.js";

function click(href, name) {
  const a = document.createElement("a");
  a.href = href;
  a.download = name;
  a.rel = "noopener";
  a.click();
}

/** Saves what the service makes when it is asked, or shows why it cannot. */
export async function fetchMade(path, name) {
  try {
    saveBlob(await getBlob(path), name);
  } catch (e) {
    toast(e.message, "error");
  }
}

/** Saves a file that is there. */
export const fetchFile = (path, name) => (token() ? fetchMade(path, name) : click(urlOf(path), name));

export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  click(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export const saveText = (text, name) => saveBlob(new Blob([text], { type: "application/json" }), name);
