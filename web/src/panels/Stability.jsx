// SPDX-License-Identifier: MIT
// Is what is played stable, what carries it, and what else could be played?
import { app, toast, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { carriers, guilty, withOptions } from "../model/study.js";
import { setAlgorithm } from "../model/settings.js";
import { short } from "../state/short.js";
import { show } from "../model/number.js";
import { colour } from "../plots/style.js";
import { rangeOf } from "../plots/svg.js";
import { Chart } from "../ui/Chart.jsx";

const plain = (options) => short(options).replaceAll("--", "");

function Verdict({ found }) {
  const level = { stable: "ok", unstable: "error" }[found.verdict] ?? "warning";
  const model = found.model?.unstable ? " The model itself grows: no step helps." : "";
  return (
    <div class="verdict">
      <p><span class={`pill is-${level}`}>{found.verdict}</span> {found.rho != null && <>what is small is {show(found.rho, 5)} times as large after a step of {show(found.step)} s.</>}{model}</p>
      {found.reason && <p class="faint">{short(found.reason)}</p>}
      {found.largestStep != null && <p>Stable up to steps of <b>{show(found.largestStep)} s</b>.
        {found.verdict === "unstable" && !found.model?.unstable && <> <button type="button" class="chip" onClick={() => apply((s) => setAlgorithm(s, "step", Number((found.largestStep * 0.9).toPrecision(2))))}>use {show(Number((found.largestStep * 0.9).toPrecision(2)))} s</button></>}</p>}
    </div>
  );
}

function apply(change) {
  edit(change);
  toast("Applied; undo goes back.");
}

function Carriers({ found }) {
  const selection = useApp((s) => s.selection);
  const all = carriers(found), blamed = guilty(found);
  if (!all.length) return null;
  return (
    <section aria-label="connections">
      <h3>{blamed ? "What makes it grow" : "What carries it"}</h3>
      <ul class="carriers">
        {all.map((c) => (
          <li key={`${c.from} ${c.to}`}>
            <button type="button" class={`${c === all[0] && blamed ? "guilty" : ""}`} aria-pressed={selection?.from === c.from && selection?.to === c.to} onClick={() => app.set({ selection: { from: c.from, to: c.to } })}>
              <span class="bar" style={{ width: `${Math.round(c.part * 100)}%` }} aria-hidden="true" />
              <span class="words">{short(c.from)} → {short(c.to)}</span><b>{Math.round(c.part * 100)} %</b>
              {c.heldVerdict && <small>without it {c.heldVerdict}{c.heldRho != null ? `, ${show(c.heldRho, 4)}` : ""}</small>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Alternatives({ found }) {
  const rows = found.alternatives ?? [];
  if (!rows.length) return null;
  return (
    <section aria-label="alternatives">
      <h3>Other ways to play it</h3>
      <table class="study-table">
        <thead><tr><th>way</th><th>growth</th><th>cost</th><th /></tr></thead>
        <tbody>
          {rows.map((a) => (
            <tr key={`${a.options} ${a.step}`} class={a.verdict === "unstable" ? "wrong" : ""}>
              <th scope="row">{plain(a.options)}{a.step !== found.step && a.step != null ? `, ${show(a.step)} s` : ""}</th>
              <td>{a.rho != null ? show(a.rho, 4) : a.verdict}</td><td>{show(a.cost)}</td>
              <td><button type="button" class="chip" aria-label={`apply ${plain(a.options)}`} onClick={() => apply((s) => withOptions(s, a.options))}>apply</button></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">Cost is in steps of instances per second.</p>
    </section>
  );
}

function Picture({ found }) {
  const dark = useApp((s) => s.dark);
  const steps = (found.steps ?? []).filter((s) => s.rho != null);
  if (steps.length < 2) return null;
  const x = steps.map((s) => s.step), y = steps.map((s) => s.rho);
  return <Chart class="svg-chart study-picture" height={190} label={`growth in a step over its length, from ${show(x[0])} to ${show(x.at(-1))} s`} what={{ x: { range: rangeOf(x, true), log: true, label: "step (s)" }, y: { range: rangeOf([...y, 1]), label: "growth in a step" },
    curves: [{ x, y, colour: colour(0, dark) }, ...(found.rho != null ? [{ x: [found.step], y: [found.rho], colour: colour(1, dark), dots: 4, titles: ["this step"] }] : [])], lines: [{ y: 1, colour: colour(5, dark) }] }} />;
}

export function Stability({ finding, busy, blocked, start, children }) {
  const found = finding?.summary;
  return (
    <>
      <p class="lead">Do small errors grow from step to step, and which connection makes them?</p>
      {!busy && <button type="button" class="primary" disabled={blocked} onClick={() => start({})}>{found ? "Find out again" : "Find out"}</button>}
      {children}
      {found && !busy && <><Verdict found={found} /><Carriers found={found} /><Picture found={found} /><Alternatives found={found} /></>}
    </>
  );
}
