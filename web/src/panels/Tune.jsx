// SPDX-License-Identifier: MIT
// Settings that are within a tolerance at the least cost.
import { useState } from "preact/hooks";
import { toast, useApp } from "../state/app.js";
import { short } from "../state/short.js";
import { edit } from "../state/session.js";
import { contradictions, withSettings } from "../model/study.js";
import { show } from "../model/number.js";
import { colour } from "../plots/style.js";
import { rangeOf } from "../plots/svg.js";
import { Chart } from "../ui/Chart.jsx";
import { Entry, positive } from "../ui/Field.jsx";
import { Hints } from "./Hints.jsx";

function budget(text) {
  if (!/^\d+(\.\d+)?\s*(runs?|s)?$/.test(text.trim())) throw new Error("such as 60 runs or 30 s");
  return text.trim();
}
const asOption = (text) => text.replace(/\s+/g, "").replace(/run$/, "runs");

function apply(t) {
  edit((s) => withSettings(s, t.settings));
  toast(`${t.variant} at ${show(t.step)} s is applied; undo goes back.`);
}

function Rows({ rows, best, more }) {
  return (
    <table class="study-table">
      <thead><tr><th>settings</th><th>step (s)</th><th>error</th><th>cost</th><th /></tr></thead>
      <tbody>
        {rows.map((t, i) => (
          <tr key={i} class={best && t.variant === best.variant && t.step === best.step ? "best" : ""} title={t.why ?? undefined}>
            <th scope="row">{t.variant}{more && t.role !== "candidate" ? ` (${t.role})` : ""}{more && t.why && <small>{t.why}</small>}</th>
            <td>{show(t.step, 4)}</td><td>{show(t.error, 3)}</td><td>{show(t.cost, 4)}</td>
            <td>{t.settings && <button type="button" class="chip" aria-label={`apply ${t.variant} at ${show(t.step, 4)} s`} onClick={() => apply(t)}>apply</button>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Picture({ found, tolerance }) {
  const dark = useApp((s) => s.dark);
  const all = found.tried.filter((t) => t.error > 0 && t.cost > 0);
  if (all.length < 2) return null;
  const dots = (some, c, dots, name) => ({ name, x: some.map((t) => t.cost), y: some.map((t) => t.error), colour: c, dots, titles: some.map((t) => `${t.variant}, ${show(t.step, 3)} s`) });
  const good = all.filter((t) => t.error <= tolerance && !t.why), best = found.best && found.best.error > 0 ? [found.best] : [];
  return <Chart class="svg-chart study-picture" height={220} label={`error against cost of ${all.length} variants`} what={{
    x: { range: rangeOf(all.map((t) => t.cost), true), log: true, label: "cost: steps of instances" }, y: { range: rangeOf([...all.map((t) => t.error), tolerance], true), log: true, label: "error" },
    curves: [dots(all.filter((t) => !good.includes(t)), colour(5, dark), 3), dots(good, colour(2, dark), 3.5), dots(best, colour(0, dark), 5.5)], lines: [{ y: tolerance, colour: colour(4, dark) }] }} />;
}

export function Tune({ finding, busy, blocked, start, children }) {
  const [form, setForm] = useState({ tolerance: undefined, budget: undefined });
  const found = finding?.summary;
  const tolerance = form.tolerance ?? 1e-3;
  const kept = found?.best?.kept ?? [];
  return (
    <>
      <p class="lead">Runs the scenario in many ways, and finds the cheapest whose results are within the tolerance.</p>
      {!busy && (
        <>
          <div class="setting amount">
            <label for="t-tolerance">Tolerance</label>
            <Entry id="t-tolerance" value={form.tolerance} placeholder="0.001" parse={positive} scope="study" onChange={(v) => setForm({ ...form, tolerance: v })} />
            <span class="unit" /><p>Of results, relative to each output's range.</p>
          </div>
          <div class="setting amount">
            <label for="t-budget">At most</label>
            <Entry id="t-budget" value={form.budget} placeholder="60 runs" parse={budget} scope="study" onChange={(v) => setForm({ ...form, budget: v })} />
            <span class="unit" />
          </div>
          <Hints />
          <button type="button" class="primary" disabled={blocked} onClick={() => start({ tolerance, budget: asOption(form.budget ?? "60 runs") })}>Find settings</button>
        </>
      )}
      {children}
      {found && !busy && (
        <>
          {found.best && <p>{found.best.within ? "Within the tolerance" : "The least wrong, but not within the tolerance"}: <b>{found.best.variant}</b> at <b>{show(found.best.step, 4)} s</b>, {found.best.confirmed ? "confirmed by half the step and by another master." : "not confirmed."} <button type="button" class="chip" onClick={() => apply(found.best)}>apply the best</button></p>}
          {contradictions(found).map((r) => <p class="warned" key={r}>{short(r)}</p>)}
          <Picture found={found} tolerance={tolerance} />
          {kept.length > 0 && <section aria-label="good settings"><h3>Within the tolerance, the cheapest first</h3><Rows rows={kept} best={found.best} /></section>}
          <details><summary>All {found.tried.length} that were tried</summary><Rows rows={found.tried} best={found.best} more /></details>
          <details><summary>Why</summary><ul class="reasons">{found.reasons.map((r, i) => <li key={i}>{short(r)}</li>)}</ul></details>
        </>
      )}
    </>
  );
}
