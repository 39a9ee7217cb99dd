// SPDX-License-Identifier: MIT
// What the browser remembers for us. It may refuse; then nothing is remembered.
const PREFIX = "tutti.";

export function recall(name, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch { /* private window, or full */ }
}
