// SPDX-License-Identifier: MIT
// What is found by more than one run: stability, settings, sweeps.
import { app, useApp } from "../state/app.js";
import { dropStudy, isBusy, startStudy, stopStudy, useFinding, useStudy } from "../state/studies.js";
import { short } from "../state/short.js";
import { showSeconds } from "../model/number.js";
import { Remove } from "../ui/Remove.jsx";
import { Segments } from "../ui/Segments.jsx";
import { Stability } from "./Stability.jsx";
import { Sweep } from "./Sweep.jsx";
import { Tune } from "./Tune.jsx";

const KINDS = [["stability", "Stability"], ["tune", "Find settings"], ["sweep", "Sweep"]];
const ROOMS = { stability: Stability, tune: Tune, sweep: Sweep };

/** The words come last: what is pressed stays where it is while they get longer. */
function Progress({ study }) {
  return (
    <div class="study-progress" role="status">
      <progress aria-label="progress" max={1} {...(study.progress > 0 ? { value: study.progress } : {})} />
      <button type="button" class="quiet" onClick={() => stopStudy(study)} disabled={study.state === "stopping"}>Stop</button>
      <p class="faint">{study.state === "queued" ? "waits for its turn" : short(study.message ?? "runs…")}</p>
    </div>
  );
}

export function StudyPanel() {
  const { kind, scenario, checked } = useApp((s) => ({ kind: s.study, scenario: s.history.present, checked: s.check }));
  const study = useStudy(kind), finding = useFinding(study);
  const Room = ROOMS[kind];
  const blocked = !scenario || (checked?.problems?.length ?? 0) > 0;
  return (
    <div class="panel study" key={kind}>
      <Segments label="kind of study" options={KINDS} value={kind} onChange={(v) => app.set({ study: v })} />
      <Room study={study} finding={finding} busy={isBusy(study)} blocked={blocked} start={(options) => startStudy(kind, options)}>
        {isBusy(study) && <Progress study={study} />}
        {study && !isBusy(study) && (
          <div class="row found">
            <p class={study.state === "failed" ? "wrong" : "faint"} role="status">{study.state === "finished" ? `Found in ${showSeconds(study.wall_seconds)}.` : short(`${study.state}: ${study.message ?? ""}`)}</p>
            <Remove what="what was found" title="Remove what was found" onRemove={() => dropStudy(study)} />
          </div>
        )}
        {study?.of && study.of !== scenario && <p class="warned">The scenario has changed since.</p>}
      </Room>
    </div>
  );
}
