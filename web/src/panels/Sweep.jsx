// SPDX-License-Identifier: MIT
// One parameter or two over a range, and what comes of it.
import { useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { useBlocks } from "../state/blocks.js";
import { sweepColumns, sweepCurves, sweepProblems } from "../model/study.js";
import { short } from "../state/short.js";
import { count, show } from "../model/number.js";
import { family, isSettable } from "../model/variables.js";
import { runPath } from "../net/api.js";
import { colour } from "../plots/style.js";
import { rangeOf } from "../plots/svg.js";
import { Chart } from "../ui/Chart.jsx";
import { fetchFile } from "../ui/download.js";
import { Icon } from "../ui/Icon.jsx";

const EMPTY = { ref: "", from: "", to: "", n: "9" };
const MOST = 8; // curves that differ enough

/** What is wrong with a row of the form, or null. */
function wrong(v) {
  const [a, b] = [Number(v.from), Number(v.to)];
  if (!v.ref) return "choose a parameter";
  if (!v.from.trim() || !v.to.trim() || !Number.isFinite(a) || !Number.isFinite(b)) return "enter two numbers";
  return /^\d+$/.test(v.n.trim()) && Number(v.n) >= 2 && Number(v.n) <= 10000 ? null : "2 to 10000 points";
}

function Vary({ value, choices, n, onChange, onRemove }) {
  const set = (name) => (e) => onChange({ ...value, [name]: e.target.value });
  const choose = (e) => {
    const start = choices.find((c) => c.ref === e.target.value)?.start;
    onChange({ ...value, ref: e.target.value, ...(typeof start === "number" && start && !value.from ? { from: String(start / 2), to: String(start * 2) } : {}) });
  };
  return (
    <fieldset class="vary">
      <legend>{n === 0 ? "Vary" : "and"}</legend>
      <select aria-label={`parameter ${n + 1}`} value={value.ref} onChange={choose}>
        <option value="">choose a parameter</option>
        {choices.map((c) => <option key={c.ref} value={c.ref}>{short(c.ref)}{c.unit ? ` (${c.unit})` : ""}</option>)}
      </select>
      <span class="row">
        <input type="text" aria-label={`from ${n + 1}`} placeholder="from" value={value.from} onInput={set("from")} />
        <input type="text" aria-label={`to ${n + 1}`} placeholder="to" value={value.to} onInput={set("to")} />
        <input type="text" aria-label={`points ${n + 1}`} placeholder="points" value={value.n} onInput={set("n")} />
        {onRemove && <button type="button" class="tool" aria-label="vary one only" onClick={onRemove}><Icon name="close" size={13} /></button>}
      </span>
    </fieldset>
  );
}

function Result({ study, table }) {
  const { dark, sid } = useApp((s) => ({ dark: s.dark, sid: s.session?.id }));
  const { parameters, results } = sweepColumns(table.names);
  const [chosen, setChosen] = useState(null);
  const column = results.some((r) => r.column === chosen) ? chosen : results[0]?.column;
  const problems = sweepProblems(table);
  if (column === undefined) return <p class="faint">The table has no results.</p>;
  const result = results.find((r) => r.column === column);
  const curves = sweepCurves(table, column).slice(0, MOST).map((c, i) => ({ ...c, colour: colour(i, dark) }));
  const dots = curves.map((c) => ({ ...c, name: null, dots: 2.5, titles: c.x.map((x, i) => `${show(x)}: ${show(c.y[i])}`) }));
  return (
    <>
      <div class="setting">
        <label for="w-result">Show</label>
        <select id="w-result" value={column} onChange={(e) => setChosen(Number(e.target.value))}>
          {results.map((r) => <option key={r.column} value={r.column}>{short(r.ref)}, {r.take}</option>)}
        </select>
      </div>
      <Chart class="svg-chart study-picture" height={230} label={`${short(result.ref)}, ${result.take}, over ${short(parameters[0])}`} data-points={curves.reduce((n, c) => n + c.x.length, 0)}
        what={{ x: { range: rangeOf(curves.flatMap((c) => c.x)), label: short(parameters[0]) }, y: { range: rangeOf(curves.flatMap((c) => c.y)), label: `${short(result.ref)}, ${result.take}` }, curves: [...curves, ...dots] }} />
      {curves.length > 1 && <ul class="sweep-key">{curves.map((c) => <li key={c.name}><i style={{ background: c.colour }} aria-hidden="true" />{short(c.name)}</li>)}</ul>}
      {problems.length > 0 && <details class="wrong"><summary>{count(problems.length, "point")} failed</summary><ul>{problems.slice(0, 20).map((p) => <li key={p.point}>{p.point}: {short(p.problem)}</li>)}</ul></details>}
      <button type="button" class="quiet" onClick={() => fetchFile(`${runPath(sid, study.id)}/results.csv`, "sweep.csv")}><Icon name="download" size={16} />Table (CSV)</button>
    </>
  );
}

export function Sweep({ study, finding, busy, blocked, start, children }) {
  const blocks = useBlocks();
  const [vary, setVary] = useState([EMPTY]);
  const choices = blocks.flatMap((b) => [...b.variables.values()].filter((v) => isSettable(v) && family(v.type) === "number" && !v.dimensions?.length)
    .map((v) => ({ ref: `${b.unit}.${v.name}`, unit: v.unit, start: v.start })));
  const problem = vary.map(wrong).find(Boolean) ?? null;
  const options = { vary: vary.map((v) => `${v.ref}=${v.from.trim()}:${v.to.trim()}:${v.n.trim()}`) };
  return (
    <>
      <p class="lead">A run for each value of a parameter, or of two, and the results over it.</p>
      {!busy && (
        <>
          {vary.map((v, i) => <Vary key={i} n={i} value={v} choices={choices} onChange={(next) => setVary(vary.map((x, k) => (k === i ? next : x)))} onRemove={i ? () => setVary([vary[0]]) : null} />)}
          <div class="row">
            <button type="button" class="primary" disabled={blocked || Boolean(problem)} title={problem ?? undefined} onClick={() => start(options)}>Run them</button>
            {vary.length < 2 && <button type="button" class="quiet" onClick={() => setVary([...vary, EMPTY])}><Icon name="plus" size={16} />Second parameter</button>}
          </div>
        </>
      )}
      {children}
      {finding?.table && !busy && <Result key={study.id} study={study} table={finding.table} />}
    </>
  );
}
