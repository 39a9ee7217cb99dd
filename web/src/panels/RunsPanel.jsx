// SPDX-License-Identifier: MIT
// All runs of the session; ticked ones are in the plots.
import { app, useApp } from "../state/app.js";
import { deleteRun, isActive, showRun } from "../state/runs.js";
import { filesOf } from "../bars/Downloads.jsx";
import { show, showSeconds } from "../model/number.js";
import { Menu } from "../ui/Menu.jsx";
import { Remove } from "../ui/Remove.jsx";
import { Difference } from "./Difference.jsx";

const WORDS = { queued: "waits", running: "runs", paused: "paused", stopping: "stopping", finished: "finished", stopped: "stopped", failed: "failed", interrupted: "interrupted" };

function Run({ run, shown, reference }) {
  const sid = app.get().session.id;
  const wall = run.wall_seconds != null ? `, ${showSeconds(run.wall_seconds)}` : "";
  return (
    <li class={`run is-${run.state}`}>
      <label>
        <input type="checkbox" checked={shown} onChange={(e) => showRun(run.id, e.target.checked)} />
        <b>{run.name}</b>
        <span class="tag">{WORDS[run.state] ?? run.state}</span>
        {reference && <span class="tag">reference</span>}
      </label>
      <p class="faint">to {show(run.time)} s{wall}</p>
      {run.message && run.state !== "finished" && <p class={run.state === "failed" ? "wrong" : "faint"}>{run.message}</p>}
      {(run.warnings ?? []).map((w, i) => <p key={i} class="warned">{w.message}</p>)}
      <div class="row">
        {!isActive(run) && <Menu icon="download" label="Files" items={filesOf(run, sid)} align="left" />}
        <Remove what={run.name} title="Remove this run and its results" onRemove={() => deleteRun(run.id)} />
      </div>
    </li>
  );
}

export function RunsPanel() {
  const { runs, shown } = useApp((s) => ({ runs: s.runs, shown: s.shown }));
  return (
    <div class="panel">
      <h2>Runs</h2>
      {runs.length ? <p class="faint">Tick two or more to lay them over each other.</p> : <p class="faint">No runs yet. Press Run; nothing has to be set before.</p>}
      {shown.length > 1 && <Difference />}
      <ul class="runs">{[...runs].reverse().map((r) => <Run key={r.id} run={r} shown={shown.includes(r.id)} reference={shown.length > 1 && shown[0] === r.id} />)}</ul>
    </div>
  );
}
