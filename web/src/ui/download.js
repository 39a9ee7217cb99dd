// SPDX-License-Identifier: MIT
// Saving a file of the service. A link cannot bring a token, a fetch can.
import { toast } from "../state/app.js";
import { getBlob, urlOf } from "../net/api.js";
import { token } from "../net/token.js";

function click(href, name) {
  const a = document.createElement("a");
  a.href = href;
  if (name) a.download = name;
  else a.target = "_blank";
  a.rel = "noopener";
  a.click();
}

/** Saves it under a name, or opens it in a new tab when there is none. */
export async function fetchFile(path, name) {
  if (!token()) { click(urlOf(path), name); return; }
  try {
    saveBlob(await getBlob(path), name);
  } catch (e) {
    toast(e.message, "error");
  }
}

export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  click(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export const saveText = (text, name) => saveBlob(new Blob([text], { type: "application/json" }), name);
