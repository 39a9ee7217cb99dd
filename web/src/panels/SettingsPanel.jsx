// SPDX-License-Identifier: MIT
// How the scenario is played. Nothing here has to be touched.
import { useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { withField } from "../model/scenario.js";
import { ACCELERATIONS, APPROXIMATIONS, inWords, isDefault, ITERATIONS, MASTERS, METHODS, sentence, setAlgorithm, setApproximation, setMethod, setRealTime,
  settingsOf, setVaries, toDefaults } from "../model/settings.js";
import { Entry, number, positive } from "../ui/Field.jsx";
import { Segments } from "../ui/Segments.jsx";

function Choice({ id, label, options, value, preset, onChange, note }) {
  const now = value ?? preset;
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <select id={id} value={value ?? ""} onChange={(e) => onChange(e.target.value === "" ? undefined : e.target.value)}>
        {preset !== "" && <option value="">Default: {options.find((o) => o[0] === preset)?.[1]}</option>}
        {options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
      </select>
      <p>{sentence(options, now)} {note}</p>
    </div>
  );
}

const IN_SETTINGS = { side: "settings" };

function Amount({ id, label, value, unit, placeholder, parse = positive, onChange, note }) {
  return (
    <div class="setting amount">
      <label for={id}>{label}</label>
      <Entry id={id} value={value === null ? "open" : value} placeholder={placeholder} parse={parse} onChange={onChange} what={`“${label}” in the settings`} at={IN_SETTINGS} />
      <span class="unit">{unit}</span>
      {note && <p>{note}</p>}
    </div>
  );
}

const endTime = (t) => (/^(open|none|never)$/i.test(t.trim()) ? null : number(t));
const threads = (t) => {
  if (t.trim() === "auto") return "auto";
  const n = Number(t);
  if (!Number.isInteger(n) || n < 1 || n > 64) throw new Error("1 to 64, or auto");
  return n;
};

function Steps({ o }) {
  const set = (field) => (v) => edit((s) => setAlgorithm(s, field, v));
  return (
    <section aria-label="steps">
      <h3>Steps</h3>
      <Segments label="steps" options={[["fixed", "Fixed"], ["var", "Variable"]]} value={o.varies ? "var" : "fixed"} onChange={(v) => edit((s) => setVaries(s, v === "var"))} />
      {!o.varies && <Amount id="s-step" label="Every" value={o.step} unit="s" placeholder="needed" onChange={set("step")} note="Instances exchange values so often. Smaller is more accurate and slower." />}
      {o.varies && (
        <>
          <Amount id="s-least" label="At least" value={o.least} unit="s" onChange={set("least")} />
          <Amount id="s-most" label="At most" value={o.most} unit="s" onChange={set("most")} />
          <Amount id="s-first" label="First" value={o.first} unit="s" onChange={set("first")} note="Short where much happens, long where little does." />
          <Choice id="s-method" label="Error control" options={METHODS} value={o.method} preset="" onChange={(m) => edit((s) => setMethod(s, m))} />
          {o.method && <Amount id="s-tol" label="Tolerance" value={o.tolerance} unit="" placeholder="0.001" onChange={(t) => edit((s) => setMethod(s, o.method, t ?? 1e-3))} note="Error allowed, absolute and relative." />}
        </>
      )}
    </section>
  );
}

export function SettingsPanel() {
  const scenario = useApp((s) => s.history.present);
  const s = scenario ?? {};
  const o = settingsOf(s);
  const put = (field) => (v) => edit((now) => withField(now, field, v));
  const presetOk = isDefault(s);
  return (
    <div class="panel">
      <h2>Settings</h2>
      <p class="lead">{inWords(s)}</p>
      <div class="row">{presetOk ? <span class="tag ok">Defaults: nothing to choose</span>
        : <button type="button" class="quiet" onClick={() => edit(toDefaults)}>Back to defaults</button>}</div>
      <section aria-label="time">
        <h3>Time</h3>
        <Amount id="s-start" label="From" value={o.start} unit="s" placeholder="0" parse={number} onChange={put("startTime")} />
        <Amount id="s-end" label="To" value={o.end} unit="s" placeholder="FMUs' own" parse={endTime} onChange={put("endTime")} note="“open” runs until you stop it." />
      </section>
      <Steps o={o} />
      <section aria-label="coupling">
        <h3>Coupling</h3>
        <Choice id="s-master" label="Instances step" options={MASTERS} value={o.master} preset="jacobi" onChange={put("master")} />
        <Choice id="s-approx" label="Inputs within a step" options={APPROXIMATIONS} value={o.approximation} preset="hold" onChange={(v) => edit((now) => setApproximation(now, v))}
          note={o.perInput ? `${o.perInput} by input, in the scenario.` : ""} />
        <Choice id="s-iterate" label="Repeat steps" options={typeof o.iterate === "number" ? [...ITERATIONS, [String(o.iterate), `${o.iterate} times`, ""]] : ITERATIONS}
          value={o.iterate === undefined ? "" : String(o.iterate)} preset="" onChange={put("iterate")} />
        {o.iterate === "converged" && <Choice id="s-accel" label="Acceleration" options={ACCELERATIONS} value={o.acceleration} preset="none" onChange={put("acceleration")} />}
      </section>
      <section aria-label="machine">
        <h3>Machine</h3>
        <Amount id="s-threads" label="Threads" value={o.threads} unit="" placeholder="1" parse={threads} onChange={put("threads")} note="Results are the same to the bit. “auto”: as many as pay." />
        <Amount id="s-rt" label="Real time" value={o.realTime} unit="×" placeholder="as fast as possible" onChange={(v) => edit((now) => setRealTime(now, v))} note="1: one simulated second takes one second." />
      </section>
    </div>
  );
}
