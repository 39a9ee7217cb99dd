// SPDX-License-Identifier: MIT
// The list of events, with a filter.
import { useEffect, useState } from "preact/hooks";
import { app, useApp } from "../state/app.js";
import { dataOf } from "../data/feed.js";
import { NONE, search, shown as shownValue } from "../model/events.js";
import { short } from "../state/short.js";
import { count, show } from "../model/number.js";
import { get, runPath } from "../net/api.js";

const MOST = 500; // rows that are shown

/** Events of the run that is shown last, as they come. */
function useEvents() {
  const { n, sid, run } = useApp((s) => { const k = s.shown.at(-1); return { n: k, sid: s.session?.id, run: s.runs.find((r) => r.id === k) }; });
  const data = n == null ? null : dataOf(n);
  const [, tick] = useState(0);
  useEffect(() => data?.subscribe(() => tick((k) => k + 1)), [data]);
  return { n, sid, run, all: data?.whole ?? NONE };
}

/** Those that match: from what is here, or from the service if that is not all. */
function useFound(sid, n, all, words) {
  const [answer, setAnswer] = useState(null);
  const here = all.total <= all.time.length;
  useEffect(() => {
    setAnswer(null);
    if (here || n == null) return undefined;
    let wanted = true;
    const timer = setTimeout(() => get(`${runPath(sid, n)}/events?points=${MOST}&search=${encodeURIComponent(words)}`)
      .then((a) => wanted && setAnswer(a)).catch(() => {}), 200);
    return () => { wanted = false; clearTimeout(timer); };
  }, [sid, n, words, here]);
  if (!here && answer) return { events: answer, rows: answer.time.map((_, i) => i), matching: answer.matching };
  const rows = search(all, words);
  return { events: all, rows: rows.slice(0, MOST), matching: here ? rows.length : null };
}

export function EventsRoom() {
  const pointed = useApp((s) => s.pointed);
  const { n, sid, run, all } = useEvents();
  const [words, setWords] = useState("");
  const { events, rows, matching } = useFound(sid, n, all, words);
  useEffect(() => () => app.set({ pointed: null }), []);
  const point = (t) => app.set({ pointed: pointed === t ? null : t });
  if (!all.total) return <p class="faint">{run ? `${run.name} has no events.` : "There are no events yet."}</p>;
  return (
    <div class="event-list">
      <div class="row">
        <input type="search" aria-label="filter events" placeholder="Filter: instance, port or value" value={words} onInput={(e) => setWords(e.target.value)} />
        <span class="faint" role="status">{matching == null ? "searching…" : matching === all.total ? count(all.total, "event") : `${matching} of ${count(all.total, "event")}`}{matching > rows.length ? `, the first ${rows.length} here` : ""}</span>
      </div>
      <table>
        <thead><tr><th class="num">time (s)</th><th class="num">microstep</th><th>instance</th><th>port</th><th>value</th></tr></thead>
        <tbody>
          {rows.map((i) => (
            <tr key={i} class={events.time[i] === pointed ? "pointed" : ""} onClick={() => point(events.time[i])}>
              <td class="num"><button type="button" class="link" title="show it in the plots" aria-pressed={events.time[i] === pointed}>{show(events.time[i], 10)}</button></td>
              <td class="num">{events.microstep[i]}</td><td>{short(events.instance[i])}</td><td>{events.port[i]}</td><td>{shownValue(events.value[i], show)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!rows.length && matching === 0 && <p class="faint">No event has these words.</p>}
    </div>
  );
}
