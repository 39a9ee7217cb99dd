// SPDX-License-Identifier: MIT
// How far the runs that are shown are apart, in numbers.
import { useEffect, useState } from "preact/hooks";
import { app, useApp } from "../state/app.js";
import { usePlots } from "../state/plots.js";
import { useBlocks } from "../state/blocks.js";
import { get, runPath } from "../net/api.js";
import { isActive } from "../state/runs.js";
import { allowance, difference, parseTolerance, showTolerance } from "../model/compare.js";
import { namesOf } from "../state/short.js";
import { parseRef } from "../model/ref.js";
import { allRefs } from "../model/plots.js";
import { show } from "../model/number.js";
import { dataOf } from "../data/feed.js";
import { isStepped } from "../plots/style.js";
import { Entry } from "../ui/Field.jsx";

const ROWS = 50000; // more are thinned by the service, and then we state it

async function load(sid, n, refs) {
  const columns = dataOf(n)?.columns ?? refs;
  const there = refs.filter((r) => columns.includes(r));
  if (!there.length) return { time: [], values: new Map(), decimated: false };
  const got = await get(`${runPath(sid, n)}/results?variables=${there.map(encodeURIComponent).join(",")}&points=${ROWS}`);
  return { time: got.time, decimated: got.decimated, values: new Map(got.columns.map((r, i) => [r, got.values[i].map((v) => (v == null ? null : Number(v)))])) };
}

export function Difference() {
  const { sid, shown, runs, compare } = useApp((s) => ({ sid: s.session?.id, shown: s.shown, runs: s.runs, compare: s.compare }));
  const set = (more) => app.set({ compare: { ...compare, ...more } });
  const refs = allRefs(usePlots());
  const blocks = useBlocks();
  const [rows, setRows] = useState(null);
  const done = shown.every((n) => !isActive(runs.find((r) => r.id === n)));
  const wish = `${shown} ${refs} ${done} ${showTolerance(compare.tolerance)}`;
  useEffect(() => {
    let here = true;
    if (!done) { setRows(null); return undefined; }
    Promise.all(shown.map((n) => load(sid, n, refs))).then((all) => {
      if (!here) return;
      const stepped = (ref) => isStepped(blocks.find((b) => b.unit === parseRef(ref)?.unit)?.variables.get(parseRef(ref)?.variable));
      setRows({ decimated: all.some((d) => d.decimated),
        list: shown.slice(1).flatMap((n, k) => refs.map((ref) => ({ run: n, ref, ...difference(all[0], all[k + 1], ref, stepped(ref), compare.tolerance && allowance(compare.tolerance)) }))) });
    }).catch(() => here && setRows({ list: [], failed: true }));
    return () => { here = false; };
  }, [sid, wish]);
  const nameOf = (n) => runs.find((r) => r.id === n)?.name ?? `run ${n}`;
  const names = namesOf(refs);
  if (!rows) return <p class="faint">{done ? "Comparing…" : "Numbers come when the runs have ended."}</p>;
  return (
    <section class="difference" aria-label="differences">
      <h3>Differences from {nameOf(shown[0])}</h3>
      <label class="row"><input type="checkbox" checked={compare.gaps} onChange={(e) => set({ gaps: e.target.checked })} />draw the differences</label>
      <div class="setting amount">
        <label for="tolerance">Tolerance</label>
        <Entry id="tolerance" value={showTolerance(compare.tolerance)} placeholder="0.1 or 1 %" parse={parseTolerance} scope="compare" onChange={(t) => set({ tolerance: t ?? null })} />
      </div>
      {rows.failed ? <p class="wrong">The results could not be compared.</p> : (
        <table>
          <thead><tr><th>variable</th><th>largest</th><th>at</th><th>RMS</th></tr></thead>
          <tbody>
            {rows.list.map((r) => (
              <tr key={`${r.run} ${r.ref}`} class={r.out ? "wrong" : ""} title={r.out ? `outside the tolerance at ${r.out} of ${r.n} instants` : undefined}>
                <th scope="row">{names.get(r.ref)}{shown.length > 2 && <span class="faint"> {nameOf(r.run)}</span>}</th>
                {r.n ? <><td>{show(r.most, 4)}</td><td>{show(r.at, 4)} s</td><td>{show(r.rms, 4)}</td></> : <td colSpan={3}>not in both</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.decimated && <p class="faint">From every run's extremes in {ROWS} points, not from all its rows.</p>}
    </section>
  );
}
