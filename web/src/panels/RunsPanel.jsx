// SPDX-License-Identifier: MIT
// All runs of the session; ticked ones are in the plots.
import { app, useApp } from "../state/app.js";
import { useVaried } from "../state/varied.js";
import { deleteRun, describeRun, isActive, showRun } from "../state/runs.js";
import { filesOf } from "../bars/Downloads.jsx";
import { show, showSeconds } from "../model/number.js";
import { short } from "../state/short.js";
import { Entry } from "../ui/Field.jsx";
import { Menu } from "../ui/Menu.jsx";
import { Remove } from "../ui/Remove.jsx";
import { Rename } from "../ui/Rename.jsx";
import { Difference } from "./Difference.jsx";
import { Experiments } from "./Experiments.jsx";

const WORDS = { queued: "waits", running: "runs", paused: "paused", stopping: "stopping", finished: "finished", stopped: "stopped", failed: "failed", interrupted: "interrupted" };

const MOST = 6; // differing values that are listed

/** What this run had that not all had. */
function Varied({ values }) {
  if (!values?.length) return null;
  return (
    <ul class="varied" aria-label="what differs">
      {values.slice(0, MOST).map(([name, value]) => <li key={name}><span>{short(name)}</span> <b>{value === undefined ? "by default" : typeof value === "number" ? show(value) : String(value)}</b></li>)}
      {values.length > MOST && <li class="faint">and {values.length - MOST} more</li>}
    </ul>
  );
}

function Run({ run, shown, reference, varied }) {
  const sid = app.get().session.id;
  const wall = run.wall_seconds != null ? `, ${showSeconds(run.wall_seconds)}` : "";
  return (
    <li class={`run is-${run.state}`}>
      <div class="run-head">
        <input type="checkbox" aria-label={`show ${run.name}`} checked={shown} onChange={(e) => showRun(run.id, e.target.checked)} />
        <Rename name={run.name} what={`run ${run.id}`} onRename={(name) => describeRun(run.id, { name })} />
        <span class="tag">{WORDS[run.state] ?? run.state}</span>
        {reference && <span class="tag">reference</span>}
      </div>
      <p class="faint">to {show(run.time)} s{wall}</p>
      <Varied values={varied} />
      <Entry id={`note-${run.id}`} label={`note on ${run.name}`} placeholder="add a note" value={run.note || undefined} parse={String} scope="note"
        onChange={(note) => describeRun(run.id, { note: note ?? "" })} />
      {run.message && run.state !== "finished" && <p class={run.state === "failed" ? "wrong" : "faint"}>{short(run.message)}</p>}
      {(run.warnings ?? []).map((w, i) => <p key={i} class="warned">{short(w.message)}</p>)}
      <div class="row">
        {!isActive(run) && <Menu icon="download" label="Files" items={filesOf(run, sid)} align="left" />}
        <Remove what={run.name} title="Remove this run and its results" onRemove={() => deleteRun(run.id)} />
      </div>
    </li>
  );
}

export function RunsPanel() {
  const { runs, shown } = useApp((s) => ({ runs: s.runs, shown: s.shown }));
  const varied = useVaried(runs);
  return (
    <div class="panel">
      <Experiments />
      <h2>Runs</h2>
      {runs.length ? <p class="faint">Tick two or more to lay them over each other.</p> : <p class="faint">No runs yet. Press Run; nothing has to be set before.</p>}
      {shown.length > 1 && <Difference />}
      <ul class="runs">{[...runs].reverse().map((r) => <Run key={r.id} run={r} shown={shown.includes(r.id)} reference={shown.length > 1 && shown[0] === r.id} varied={varied.get(r.id)} />)}</ul>
    </div>
  );
}
