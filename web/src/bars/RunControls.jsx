// SPDX-License-Identifier: MIT
// Start, pause, step, stop; how far it is.
import { useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { draftsOf, draftWords } from "../model/verdict.js";
import { currentRun, isActive, startRun, steer, stepRun } from "../state/runs.js";
import { show } from "../model/number.js";
import { Icon } from "../ui/Icon.jsx";
import { Entry, positive } from "../ui/Field.jsx";
import { SetBeforeStep } from "./SetBeforeStep.jsx";

function Progress({ run }) {
  const open = run.end == null;
  const words = run.state === "queued" ? `waits for its turn${run.place ? ` (place ${run.place})` : ""}` : `${run.state === "paused" ? "paused at " : ""}${show(run.time ?? run.start, 4)} s`;
  return (
    <div class="progress" role="progressbar" aria-label={`progress of ${run.name}`} aria-valuenow={open ? undefined : Math.round(run.progress * 100)}>
      <div class="bar" style={{ width: `${open ? 100 : run.progress * 100}%` }} />
      <span>{words}</span>
    </div>
  );
}

function StepControls({ run }) {
  const [steps, setSteps] = useState(1);
  const [sets, setSets] = useState({});
  const wrong = draftsOf(useApp((s) => s.drafts), "step");
  const step = async () => {
    const got = await stepRun(run.id, { steps, ...(Object.keys(sets).length ? { set: sets } : {}) });
    if (got) setSets({});
  };
  return (
    <>
      <button type="button" class="quiet" disabled={wrong.length > 0} title={wrong.length ? draftWords(wrong[0]) : undefined} onClick={step}><Icon name="step" />Step</button>
      <span class="steps-entry"><Entry label="steps at a time" scope="step" value={steps} parse={(t) => Math.max(1, Math.round(positive(t)))} onChange={(n) => setSteps(n ?? 1)} /></span>
      <SetBeforeStep sets={sets} onChange={setSets} />
    </>
  );
}

export function RunControls() {
  const { run, bad, empty, gone, drafts } = useApp((s) => ({ run: currentRun(s), bad: s.check && !s.check.ok, empty: !s.history.present, gone: s.gone, drafts: s.drafts }));
  const active = isActive(run);
  const wrong = draftsOf(drafts);
  const off = empty || gone || wrong.length > 0;
  const why = wrong.length ? `First this: ${draftWords(wrong[0])}` : bad ? "The check found problems; the run will report them too" : null;
  if (!active)
    return (
      <div class="group run-controls" role="group" aria-label="run">
        <button type="button" class="primary" disabled={off} title={why ?? "Run (Ctrl+Enter)"} onClick={() => startRun()}><Icon name="play" />Run</button>
        <button type="button" class="quiet" disabled={off} title={why ?? "Start paused, and go step by step"} onClick={() => startRun({ stepwise: true })}><Icon name="step" />Stepwise</button>
      </div>
    );
  return (
    <div class="group run-controls" role="group" aria-label="run">
      {run.state === "paused"
        ? <button type="button" class="primary" onClick={() => steer(run.id, "resume")}><Icon name="play" />{run.stepwise ? "Run on" : "Resume"}</button>
        : <button type="button" class="primary" disabled={run.state !== "running"} onClick={() => steer(run.id, "pause")}><Icon name="pause" />Pause</button>}
      {run.state === "paused" && <StepControls run={run} />}
      <button type="button" class="quiet" disabled={run.state === "stopping"} onClick={() => steer(run.id, "stop")}><Icon name="stop" />Stop</button>
      <Progress run={run} />
    </div>
  );
}
