// SPDX-License-Identifier: MIT
// The bearer token, for as long as the tab lives.
const NAME = "tutti.token";
let kept = null;

export function token() {
  if (kept === null) {
    try { kept = sessionStorage.getItem(NAME) ?? ""; } catch { kept = ""; }
  }
  return kept;
}

export function setToken(text) {
  kept = text;
  try { sessionStorage.setItem(NAME, text); } catch { /* only until reload, then */ }
}
