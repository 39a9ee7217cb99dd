// SPDX-License-Identifier: MIT
// Undo and redo: what was, what is, what was taken back.
const LIMIT = 200;

export const begin = (present) => ({ past: [], present, future: [] });

/** Edits with the same tag in a row (typing) are one step. */
export function push(h, present, tag = null) {
  if (present === h.present) return h;
  if (tag && h.tag === tag) return { ...h, present, future: [] };
  return { past: [...h.past, h.present].slice(-LIMIT), present, future: [], tag };
}

export function undo(h) {
  if (!h.past.length) return h;
  return { past: h.past.slice(0, -1), present: h.past.at(-1), future: [h.present, ...h.future] };
}

export function redo(h) {
  if (!h.future.length) return h;
  return { past: [...h.past, h.present], present: h.future[0], future: h.future.slice(1) };
}
