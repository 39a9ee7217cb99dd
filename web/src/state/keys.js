// SPDX-License-Identifier: MIT
// Keys that work everywhere in a session.
import { app } from "./app.js";
import { doAgain, edit, takeBack } from "./session.js";
import { disconnect, removeUnit } from "../model/scenario.js";
import { startRun } from "./runs.js";

const typing = (e) => /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || e.target.isContentEditable;

export function removeSelected() {
  const { selection } = app.get();
  if (selection?.from) edit((s) => disconnect(s, selection.from, selection.to));
  else if (selection?.unit) edit((s) => removeUnit(s, selection.unit));
  else return false;
  app.set({ selection: null });
  return true;
}

export function watchKeys() {
  addEventListener("keydown", (e) => {
    if (app.get().route.view !== "session" || e.defaultPrevented) return;
    const key = e.key.toLowerCase();
    const command = e.ctrlKey || e.metaKey;
    if (command && key === "enter") startRun();
    else if (typing(e)) return;
    else if (command && key === "z") (e.shiftKey ? doAgain : takeBack)();
    else if (command && key === "y") doAgain();
    else if (key === "delete" || key === "backspace") { if (!removeSelected()) return; }
    else if (key === "escape" && app.get().selection) app.set({ selection: null });
    else return;
    e.preventDefault();
  });
}
