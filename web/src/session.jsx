// SPDX-License-Identifier: MIT
// The view of a session: diagram above, plots below, a panel beside them.
import { useEffect, useState } from "preact/hooks";
import { app, useApp } from "./state/app.js";
import { addFiles } from "./state/files.js";
import { TopBar } from "./bars/TopBar.jsx";
import { Status } from "./bars/Status.jsx";
import { Drawer } from "./panels/Drawer.jsx";
import { Diagram } from "./diagram/Diagram.jsx";
import { Plots } from "./plots/Plots.jsx";
import { RunsPanel } from "./panels/RunsPanel.jsx";
import { StudyPanel } from "./panels/StudyPanel.jsx";
import { SettingsPanel } from "./panels/SettingsPanel.jsx";
import { UnitPanel } from "./panels/UnitPanel.jsx";
import { Guard } from "./ui/Guard.jsx";
import { Segments } from "./ui/Segments.jsx";
import { Splitter } from "./ui/Splitter.jsx";
import { useDrop } from "./ui/Drop.jsx";

const SIDES = [["unit", "Instance"], ["settings", "Settings"], ["runs", "Runs"], ["study", "Analysis"]];

function Side() {
  const side = useApp((s) => s.side);
  const Panel = { unit: UnitPanel, settings: SettingsPanel, runs: RunsPanel, study: StudyPanel }[side];
  return (
    <aside class="side-panel" aria-label="details">
      <Segments label="details" options={SIDES} value={side} panel="side" onChange={(v) => app.set({ side: v })} />
      <div id="side" role="tabpanel" tabIndex={-1} class="side-body"><Guard key={side} what="This panel"><Panel /></Guard></div>
    </aside>
  );
}

export function Session() {
  const { session, layout, drawer } = useApp((s) => ({ session: s.session, layout: s.layout, drawer: s.drawer }));
  const [share, setShare] = useState(0.42);
  const [over, drops] = useDrop(addFiles);
  useEffect(() => { if (session) document.title = `${session.name} · Tutti`; }, [session?.name]);
  if (!session) return <div class="opening" role="status">Opening the session…</div>;
  return (
    <div class={`session layout-${layout} ${over ? "over" : ""}`} {...drops}>
      <nav class="skips" aria-label="skip to">
        <a href="#diagram" onClick={skip}>Diagram</a><a href="#plots" onClick={skip}>Plots</a><a href="#side" onClick={skip}>Details</a>
      </nav>
      <TopBar />
      <main class="work" style={{ "--share": share }}>
        <div class="stage">
          {layout !== "plots" && <Guard what="The diagram"><Diagram /></Guard>}
          {layout === "both" && <Splitter share={share} onChange={setShare} />}
          {layout !== "diagram" && <Guard what="The plots"><Plots /></Guard>}
        </div>
        {drawer && <Drawer />}
        <Status />
      </main>
      <Side />
    </div>
  );
}

/** The address states where we are, so skip links move the focus only. */
function skip(e) {
  e.preventDefault();
  document.getElementById(e.currentTarget.hash.slice(1))?.focus();
}
