// SPDX-License-Identifier: MIT
// What comes up from below: problems and decisions, the log, the text.
import { useEffect, useRef, useState } from "preact/hooks";
import { app, useApp } from "../state/app.js";
import { dropDraft, keepDraft } from "../state/drafts.js";
import { readText, textOf } from "../model/text.js";
import { troubles } from "../model/verdict.js";
import { short } from "../state/short.js";
import { edit } from "../state/session.js";
import { currentRun, isActive } from "../state/runs.js";
import { getText, runPath } from "../net/api.js";
import { Icon } from "../ui/Icon.jsx";
import { JsonEditor } from "../ui/JsonEditor.jsx";
import { EventsRoom } from "./EventsRoom.jsx";

/** Where a problem is: its block, its field, its place in the text. */
function show(p) {
  const { draft } = p;
  if (draft?.drawer) app.set({ drawer: draft.drawer });
  else if (draft) app.set({ side: draft.side, ...(p.unit ? { selection: { unit: p.unit } } : {}) });
  else if (p.unit) app.set({ selection: { unit: p.unit }, side: "unit" });
}

function Problem({ p, level }) {
  const at = p.line ? { line: p.line, column: p.column } : null;
  return (
    <li class={`is-${level}`}>
      <Icon name="alert" size={14} />
      <span>{short(p.message)}</span>
      {at && <button type="button" class="chip" onClick={() => app.set({ drawer: "scenario", place: at })}>line {at.line}, column {at.column}</button>}
      {(p.unit || p.draft) && <button type="button" class="chip" onClick={() => show(p)}>show {p.unit ? short(p.unit) : "it"}</button>}
      {p.draft && <button type="button" class="chip" onClick={() => dropDraft(p.draft.key)}>take back</button>}
    </li>
  );
}

function Problems() {
  const { check, drafts, run } = useApp((s) => ({ check: s.check, drafts: s.drafts, run: currentRun(s) }));
  const { errors, warnings } = troubles({ check, drafts, run });
  return (
    <>
      {!check && <p class="faint">The check has not answered yet.</p>}
      {check && !errors.length && !warnings.length && <p>The check found nothing wrong.</p>}
      <ul class="problems">
        {errors.map((p, i) => <Problem key={`e${i}`} p={p} level="error" />)}
        {warnings.map((p, i) => <Problem key={`w${i}`} p={p} level="warning" />)}
      </ul>
      {check?.decisions.length > 0 && (
        <>
          <h3>What Tutti decides for you</h3>
          <dl class="decisions">{check.decisions.map((d, i) => <div key={i}><dt>{d.topic}</dt><dd>{short(d.text)}</dd></div>)}</dl>
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

const TEXT = "scenario text"; // key of its draft
const NOT_APPLIED = "changed, but not applied";

/** Puts the cursor at a place of the text. */
function reveal(area, { line, column }) {
  const lines = area.value.split("\n");
  const at = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
  area.focus();
  area.setSelectionRange(at, at + 1);
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 4);
}

/** Lines where the check found something. */
function marksOf(check) {
  const marks = new Map();
  for (const p of check?.warnings ?? []) if (p.line) marks.set(p.line, "warning");
  for (const p of check?.problems ?? []) if (p.line) marks.set(p.line, "error");
  return marks;
}

function Text() {
  const { scenario, draft, place, check } = useApp((s) => ({ scenario: s.history.present, check: s.checked === s.history.present ? s.check : null, draft: s.drafts[TEXT], place: s.place }));
  const now = textOf(scenario);
  const area = useRef();
  const text = draft && draft.of === scenario ? draft.text : now;
  useEffect(() => { if (draft && draft.of !== scenario) dropDraft(TEXT); }, [scenario]);
  useEffect(() => { if (place) { reveal(area.current, place); app.set({ place: null }); } }, [place]);
  const change = (next, message = NOT_APPLIED) => (next === now ? dropDraft(TEXT)
    : keepDraft(TEXT, { text: next, message, what: "the text of the scenario", of: scenario, drawer: "scenario" }));
  const apply = () => {
    try {
      const next = readText(text);
      dropDraft(TEXT);
      edit(() => next);
    } catch (e) {
      change(text, e.message);
      if (e.line) app.set({ place: e });
    }
  };
  return (
    <div class="text">
      <JsonEditor area={area} label="scenario as JSON" text={text} invalid={draft && draft.message !== NOT_APPLIED} marks={draft ? null : marksOf(check)} onInput={(e) => change(e.target.value)} />
      <div class="row">
        <button type="button" class="primary" disabled={text === now} onClick={apply}>Apply</button>
        <button type="button" class="quiet" disabled={text === now} onClick={() => dropDraft(TEXT)}>As it was</button>
        {draft && draft.message !== NOT_APPLIED && <span class="wrong" role="alert">{draft.message}</span>}
      </div>
    </div>
  );
}

const ROOMS = { problems: ["Check", Problems], events: ["Events", EventsRoom], log: ["Log", Log], scenario: ["Scenario", Text] };

export function Drawer() {
  const drawer = useApp((s) => s.drawer);
  const [title, Room] = ROOMS[drawer];
  const close = () => app.set({ drawer: null });
  return (
    <section class="drawer" aria-label={title} onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); e.preventDefault(); close(); } }}>
      <header><h2>{title}</h2><span class="spring" /><button type="button" class="tool" aria-label="close" onClick={close}><Icon name="close" /></button></header>
      <div class="drawer-body" tabIndex={0}><Room /></div>
    </section>
  );
}
