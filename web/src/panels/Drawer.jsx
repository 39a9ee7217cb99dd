// SPDX-License-Identifier: MIT
// What comes up from below: problems and decisions, the log, the text.
import { useEffect, useState } from "preact/hooks";
import { app, scenarioNow, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { currentRun, isActive } from "../state/runs.js";
import { getText, runPath } from "../net/api.js";
import { Icon } from "../ui/Icon.jsx";

function Problem({ p, level }) {
  const where = p.line ? `line ${p.line}, column ${p.column}` : null;
  const go = () => p.unit && app.set({ selection: { unit: p.unit }, side: "unit" });
  return (
    <li class={`is-${level}`}>
      <Icon name="alert" size={14} />
      <span>{p.message}{where && <span class="faint"> {where}</span>}</span>
      {p.unit && <button type="button" class="chip" onClick={go}>show {p.unit.split(".").pop()}</button>}
    </li>
  );
}

function Problems() {
  const check = useApp((s) => s.check);
  if (!check) return <p class="faint">The check has not answered yet.</p>;
  return (
    <>
      {check.ok && !check.warnings.length && <p>The check found nothing wrong.</p>}
      <ul class="problems">
        {check.problems.map((p, i) => <Problem key={`e${i}`} p={p} level="error" />)}
        {check.warnings.map((p, i) => <Problem key={`w${i}`} p={p} level="warning" />)}
      </ul>
      {check.decisions.length > 0 && (
        <>
          <h3>What Tutti decides for you</h3>
          <dl class="decisions">{check.decisions.map((d, i) => <div key={i}><dt>{d.topic}</dt><dd>{d.text}</dd></div>)}</dl>
        </>
      )}
    </>
  );
}

function Log() {
  const { run, sid } = useApp((s) => ({ run: currentRun(s), sid: s.session?.id }));
  const [text, setText] = useState("");
  useEffect(() => {
    if (!run) return undefined;
    let here = true;
    const load = () => getText(`${runPath(sid, run.id)}/log`).then((t) => here && setText(t)).catch((e) => here && setText(e.message));
    load();
    const timer = isActive(run) ? setInterval(load, 1500) : 0;
    return () => { here = false; clearInterval(timer); };
  }, [run?.id, run?.state, sid]);
  return <pre class="log" tabIndex={0}>{text || "Nothing was logged."}</pre>;
}

function Text() {
  const scenario = useApp((s) => s.history.present);
  const pretty = JSON.stringify(scenario ?? {}, null, 2);
  const [text, setText] = useState(pretty);
  const [wrong, setWrong] = useState(null);
  useEffect(() => { setText(pretty); setWrong(null); }, [pretty]);
  const apply = () => {
    try {
      const next = JSON.parse(text);
      if (!next || typeof next !== "object" || Array.isArray(next)) throw new Error("a scenario is a JSON object");
      if (JSON.stringify(next) !== JSON.stringify(scenarioNow())) edit(() => next);
      setWrong(null);
    } catch (e) {
      setWrong(e.message);
    }
  };
  return (
    <div class="text">
      <textarea aria-label="scenario as JSON" spellcheck={false} value={text} onInput={(e) => setText(e.target.value)} />
      <div class="row">
        <button type="button" class="primary" disabled={text === pretty} onClick={apply}>Apply</button>
        <button type="button" class="quiet" disabled={text === pretty} onClick={() => { setText(pretty); setWrong(null); }}>As it was</button>
        {wrong && <span class="wrong" role="alert">{wrong}</span>}
      </div>
    </div>
  );
}

const ROOMS = { problems: ["Check", Problems], log: ["Log", Log], scenario: ["Scenario", Text] };

export function Drawer() {
  const drawer = useApp((s) => s.drawer);
  const [title, Room] = ROOMS[drawer];
  const close = () => app.set({ drawer: null });
  return (
    <section class="drawer" aria-label={title} onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); e.preventDefault(); close(); } }}>
      <header><h2>{title}</h2><span class="spring" /><button type="button" class="tool" aria-label="close" onClick={close}><Icon name="close" /></button></header>
      <div class="drawer-body"><Room /></div>
    </section>
  );
}
