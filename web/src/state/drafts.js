// SPDX-License-Identifier: MIT
// Fields whose text is no value (yet): kept when the field is out of sight,
// counted as problems, and in the way of a run.
// key -> {text, message, what, of, scope, unit?, side?, drawer?}; `of`: the value it would replace
import { app } from "./app.js";

export const draftOf = (key) => app.get().drafts[key];
export const keepDraft = (key, draft) => app.set((s) => ({ drafts: { ...s.drafts, [key]: { scope: "run", ...draft } } }));
export function dropDraft(key) {
  const { [key]: gone, ...drafts } = app.get().drafts;
  if (gone) app.set({ drafts });
}
