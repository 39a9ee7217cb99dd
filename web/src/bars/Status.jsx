// SPDX-License-Identifier: MIT
// The line at the bottom: how the check and the last run went.
import { app, useApp } from "../state/app.js";
import { currentRun, isActive } from "../state/runs.js";
import { short } from "../state/short.js";
import { count, showSeconds } from "../model/number.js";
import { isBad, verdict } from "../model/verdict.js";
import { Icon } from "../ui/Icon.jsx";

const toggle = (drawer) => app.set((s) => ({ drawer: s.drawer === drawer ? null : drawer }));

/** The outcome as a sentence. */
function outcome(run) {
  if (!run) return "No run yet.";
  const wall = run.wall_seconds != null ? `, in ${showSeconds(run.wall_seconds)}` : "";
  if (isActive(run)) return `${run.name} is ${run.state}.${run.warnings?.length ? ` ${run.warnings.at(-1).message}` : ""}`;
  const [first, ...more] = run.warnings ?? [];
  const warned = first ? `; ${first.message}${more.length ? ` and ${count(more.length, "more warning")}` : ""}` : "";
  return `${run.name}: ${run.message ?? run.state}${run.state === "failed" ? "" : wall}${warned}`;
}

export function Status() {
  const { run, drawer, ...now } = useApp((s) => ({ check: s.check, checking: s.checking, current: s.checked === s.history.present, saving: s.saving,
    drafts: s.drafts, run: currentRun(s), drawer: s.drawer }));
  const [level, words] = verdict({ run, ...now });
  return (
    <footer class="status">
      <button type="button" class={`pill is-${level}`} aria-expanded={drawer === "problems"} onClick={() => toggle("problems")}>
        <Icon name={level === "error" || level === "warning" ? "alert" : "check"} size={14} />{words}
      </button>
      <p class={isBad(run) ? "outcome is-error" : "outcome"} role="status">{short(outcome(run))}</p>
      <button type="button" class="pill" aria-expanded={drawer === "events"} disabled={!run} onClick={() => toggle("events")}>Events</button>
      <button type="button" class="pill" aria-expanded={drawer === "log"} disabled={!run} onClick={() => toggle("log")}>Log</button>
      <button type="button" class="pill" aria-expanded={drawer === "scenario"} onClick={() => toggle("scenario")}>JSON</button>
    </footer>
  );
}
