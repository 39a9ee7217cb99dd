// SPDX-License-Identifier: MIT
// The line at the bottom: how the check and the last run went.
import { app, useApp } from "../state/app.js";
import { currentRun, isActive } from "../state/runs.js";
import { count, showSeconds } from "../model/number.js";
import { Icon } from "../ui/Icon.jsx";

const toggle = (drawer) => app.set((s) => ({ drawer: s.drawer === drawer ? null : drawer }));

function checkWords({ check, checking }) {
  if (!check) return checking ? ["", "checking…"] : ["", "not checked"];
  if (!check.ok) return ["error", count(check.problems.length, "problem")];
  if (check.warnings.length) return ["warning", count(check.warnings.length, "warning")];
  return ["ok", "no problems"];
}

/** The outcome as a sentence. */
function outcome(run) {
  if (!run) return "No run yet.";
  const wall = run.wall_seconds != null ? `, in ${showSeconds(run.wall_seconds)}` : "";
  if (isActive(run)) return `${run.name} is ${run.state}.`;
  return `${run.name}: ${run.message ?? run.state}${run.state === "failed" ? "" : wall}`;
}

export function Status() {
  const { check, checking, run, drawer } = useApp((s) => ({ check: s.check, checking: s.checking, run: currentRun(s), drawer: s.drawer }));
  const [level, words] = checkWords({ check, checking });
  const bad = run?.state === "failed" || run?.state === "interrupted";
  return (
    <footer class="status">
      <button type="button" class={`pill is-${level}`} aria-expanded={drawer === "problems"} onClick={() => toggle("problems")}>
        <Icon name={level === "error" || level === "warning" ? "alert" : "check"} size={14} />{words}
      </button>
      <p class={bad ? "outcome is-error" : "outcome"} role="status">{outcome(run)}</p>
      <button type="button" class="pill" aria-expanded={drawer === "log"} disabled={!run} onClick={() => toggle("log")}>Log</button>
      <button type="button" class="pill" aria-expanded={drawer === "scenario"} onClick={() => toggle("scenario")}>JSON</button>
    </footer>
  );
}
