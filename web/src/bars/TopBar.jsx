// SPDX-License-Identifier: MIT
import { app, useApp } from "../state/app.js";
import { doAgain, renameSession, takeBack } from "../state/session.js";
import { goHome } from "../state/route.js";
import { Icon } from "../ui/Icon.jsx";
import { Logo } from "../ui/Logo.jsx";
import { Rename } from "../ui/Rename.jsx";
import { Segments } from "../ui/Segments.jsx";
import { ThemeButton } from "../ui/ThemeButton.jsx";
import { Downloads } from "./Downloads.jsx";
import { RunControls } from "./RunControls.jsx";

const LAYOUTS = [["diagram", "Diagram"], ["both", "Both"], ["plots", "Plots"]];
const SAVING = { saved: "saved", saving: "saving…", failed: "not saved" };

export function TopBar() {
  const { name, saving, past, future, layout } = useApp((s) => ({ name: s.session?.name, saving: s.saving,
    past: s.history.past.length, future: s.history.future.length, layout: s.layout }));
  return (
    <header class="topbar">
      <button type="button" class="home-button" aria-label="all sessions and examples" title="All sessions and examples" onClick={goHome}><Logo size={28} /></button>
      <div class="name"><h1><Rename name={name} what="the session" onRename={renameSession} /></h1><span class={`faint saving-${saving}`}>{SAVING[saving]}</span></div>
      <div class="group" role="group" aria-label="edits">
        <button type="button" class="tool" aria-label="undo" title="Undo (Ctrl+Z)" disabled={!past} onClick={takeBack}><Icon name="undo" /></button>
        <button type="button" class="tool" aria-label="redo" title="Redo (Ctrl+Shift+Z)" disabled={!future} onClick={doAgain}><Icon name="redo" /></button>
      </div>
      <RunControls />
      <span class="spring" />
      <Segments label="view" options={LAYOUTS} value={layout} onChange={(v) => app.set({ layout: v })} />
      <Downloads />
      <ThemeButton />
    </header>
  );
}
