// SPDX-License-Identifier: MIT
// All plots, one below the other, with one time axis for all.
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { app, useApp } from "../state/app.js";
import { useBlocks } from "../state/blocks.js";
import { isActive } from "../state/runs.js";
import { addPlot, setPlots, usePlots } from "../state/plots.js";
import { dataOf, setWanted } from "../data/feed.js";
import { allRefs } from "../model/plots.js";
import { namesOf } from "../state/short.js";
import { parseRef } from "../model/ref.js";
import { show } from "../model/number.js";
import { Entry, positive } from "../ui/Field.jsx";
import { Icon } from "../ui/Icon.jsx";
import { look } from "./gestures.js";
import { Plot } from "./Plot.jsx";
import { XYPlot } from "./XYPlot.jsx";
import { EventsPlot } from "./EventsPlot.jsx";
import { StepsPlot, varies } from "./StepsPlot.jsx";

/** Runs that are shown, with their curves. */
function useShown() {
  const { runs, shown } = useApp((s) => ({ runs: s.runs, shown: s.shown }));
  const wish = shown.map((n) => `${n}${runs.find((r) => r.id === n)?.name}`).join();
  return useMemo(() => shown.map((n) => ({ run: runs.find((r) => r.id === n), data: dataOf(n) })).filter((r) => r.run && r.data), [wish]);
}

/** While a run goes on the whole of its time is on the axis, so that curves grow into it; or its last seconds are. */
function useSpan(shown) {
  const { runs, follow } = useApp((s) => ({ runs: s.runs, follow: s.follow }));
  const mine = shown.map((r) => runs.find((x) => x.id === r.run.id) ?? r.run);
  const now = Math.max(...mine.filter((r) => isActive(r) && r.time != null).map((r) => r.time));
  if (follow && Number.isFinite(now)) return [now - follow, now];
  const going = mine.filter((r) => isActive(r) && !r.stepwise && r.end != null);
  if (!going.length) return null;
  return [Math.min(...mine.map((r) => r.start)), Math.max(...going.map((r) => r.end))];
}

/** From the first start to where the last one is: what plots show of their own accord. */
function wholeOf(shown) {
  const lo = Math.min(...shown.map((r) => r.run.start ?? 0)), hi = Math.max(...shown.map((r) => r.data.time.at(-1) ?? r.data.whole.time.at(-1) ?? -Infinity));
  return lo < hi ? [lo, hi] : null;
}

/** Two instants, and what changes between them. */
function TwoCursors({ whole }) {
  const cursors = useApp((s) => s.cursors);
  const toggle = () => app.set({ cursors: cursors || !whole ? null : [1, 2].map((k) => whole[0] + (k * (whole[1] - whole[0])) / 3) });
  const apart = cursors && cursors[1] - cursors[0];
  return (
    <>
      <button type="button" class="quiet" aria-pressed={Boolean(cursors)} title="Two cursors: press in a plot to move the nearer one" onClick={toggle}>Cursors</button>
      {cursors && <span class="at cursors">A {show(cursors[0])} s, B {show(cursors[1])} s, B − A {show(apart)} s{apart ? `, ${show(1 / Math.abs(apart), 4)} Hz` : ""}</span>}
    </>
  );
}

/** While a run goes on: its last seconds only. */
function Follow({ runs }) {
  const { follow, going } = useApp((s) => ({ follow: s.follow, going: s.runs.find((r) => isActive(r) && runs.some((x) => x.run.id === r.id)) }));
  if (!going) return null;
  const toggle = () => app.set({ follow: follow ? null : going.end == null ? 10 : (going.end - going.start) / 10, range: null });
  return (
    <>
      <button type="button" class="quiet" aria-pressed={Boolean(follow)} title="Show the last seconds, as they come" onClick={toggle}>Follow</button>
      {follow && <span class="steps-entry"><Entry label="seconds that are shown" scope="follow" value={follow} parse={positive} onChange={(v) => app.set({ follow: v ?? null })} /></span>}
    </>
  );
}

export function Plots() {
  const plots = usePlots();
  const shown = useShown();
  const blocks = useBlocks();
  const { range, chosen, known } = useApp((s) => ({ range: s.range, chosen: s.plots !== null, known: s.unitsKnown }));
  const span = useSpan(shown);
  const refs = useMemo(() => allRefs(plots), [plots]);
  useEffect(() => { if (known) setWanted(refs); }, [refs.join(" "), known]);
  const [, tick] = useState(0);
  useEffect(() => { // whether steps vary and there are events is known when they are here
    const off = shown.map((r) => { let had = [r.data.steps, r.data.events]; return r.data.subscribe(() => {
      const now = [r.data.steps, r.data.events];
      if (now.some((x, i) => x !== had[i])) { had = now; tick((n) => n + 1); }
    }); });
    return () => off.forEach((f) => f());
  }, [shown]);
  const names = useMemo(() => namesOf(refs), [refs.join(" "), blocks]);
  const variableOf = useCallback((ref) => { const r = parseRef(ref); return blocks.find((b) => b.unit === r?.unit)?.variables.get(r.variable) ?? null; }, [blocks]);
  const stepping = shown.filter((r) => varies(r.data.steps)).at(-1);
  const eventful = shown.filter((r) => r.data.whole.total > 0).at(-1);
  return (
    <section id="plots" class="plots" aria-label="plots" tabIndex={-1}>
      {shown.length === 0 ? <div class="empty"><Icon name="curve" size={40} /><p>Curves appear here when you run.<br /><span class="faint">Nothing has to be set before: press Run, or Ctrl+Enter.</span></p></div>
        : plots.map((p, i) => (p.x ? <XYPlot key={p.id} plot={p} runs={shown} names={names} variableOf={variableOf} />
          : <Plot key={p.id} plot={p} runs={shown} names={names} variableOf={variableOf} span={span} last={i === plots.length - 1 && !stepping && !eventful} />))}
      {eventful && <EventsPlot key={`e${eventful.run.id}`} data={eventful.data} run={eventful.run} span={span ?? wholeOf(shown)} last={!stepping} />}
      {stepping && <StepsPlot key={stepping.run.id} data={stepping.data} run={stepping.run} span={span ?? wholeOf(shown)} />}
      {shown.length > 0 && (
        <div class="row plot-tools">
          <button type="button" class="quiet" onClick={addPlot}><Icon name="plus" size={16} />Plot</button>
          {range && <button type="button" class="quiet" onClick={() => look(null)}><Icon name="fit" size={16} />Whole time</button>}
          <TwoCursors whole={range ?? span ?? wholeOf(shown)} />
          <Follow runs={shown} />
          {chosen && <button type="button" class="quiet" onClick={() => setPlots(null)}>Plots by default</button>}
          <span class="faint">Drag or turn the wheel to zoom; with Shift, to move; double-click for the whole.</span>
        </div>
      )}
    </section>
  );
}
