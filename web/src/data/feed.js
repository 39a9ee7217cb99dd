// SPDX-License-Identifier: MIT
// Brings the curves of the runs that are shown: by the live stream while a run
// is active, from its results afterwards.
import { app, toast } from "../state/app.js";
import { get, runPath } from "../net/api.js";
import { openLive } from "../net/live.js";
import { advanceRun, isActive, runOf, takeRun } from "../state/runs.js";
import { RunData } from "./series.js";

const POINTS = 4000;  // enough for any screen
const FEW = 24;       // so many columns are streamed whole
const POLL_EVERY = 1000; // ms, beside the stream

const feeds = new Map(); // n -> {data, live, busy, timer}
let wanted = [];

const path = (n) => runPath(app.get().session.id, n);
const query = (refs, more = "") => `?variables=${refs.map(encodeURIComponent).join(",")}&points=${POINTS}${more}`;
const alive = (feed) => feeds.get(feed.data.n) === feed && app.get().session;

export const dataOf = (n) => feeds.get(n)?.data ?? null;

export function followRun(n) {
  if (feeds.has(n)) return;
  const feed = { data: new RunData(n), live: null, timer: 0 };
  feeds.set(n, feed);
  if (isActive(runOf(n))) stream(feed);
  else fetchAll(feed);
}

export function dropData(n) {
  const feed = feeds.get(n);
  if (!feed) return;
  feeds.delete(n);
  clearTimeout(feed.timer);
  feed.live?.close();
}

export const endAllData = () => [...feeds.keys()].forEach(dropData);

/** The variables in the plots changed. */
export function setWanted(refs) {
  if (refs.length === wanted.length && refs.every((r, i) => r === wanted[i])) return;
  wanted = refs;
  for (const feed of feeds.values()) {
    const missing = wantedOf(feed).some((r) => !feed.data.refs.includes(r));
    if (!missing || !feed.data.columns) continue;
    if (feed.live) feed.live.want(wantedOf(feed));
    else fetchAll(feed);
  }
}

const wantedOf = (feed) => wanted.filter((r) => !feed.data.columns || feed.data.columns.includes(r));

function stream(feed) {
  const { data } = feed;
  const n = data.n;
  feed.live = openLive(app.get().session.id, n, null, {
    columns(names) {
      if (!data.columns) data.columns = names;
      data.begin(names);
      if (names === data.columns && names.length > FEW) feed.live.want(wantedOf(feed));
      data.changed();
    },
    rows(time, values) {
      data.append(time, values);
      advanceRun(n, time.at(-1));
    },
    events(more) {
      if (!data.addEvents(more)) feed.missed = true; // asked for at the next poll
    },
    state: takeRun,
    end(run) {
      feed.live = null;
      takeRun(run);
      fetchAll(feed);
    },
    lost() {
      feed.live = null;
      if (alive(feed)) feed.timer = setTimeout(() => again(feed), 1000);
    },
  });
  fetchEvents(feed).catch(() => {});
  poll(feed);
}

/** The stream broke: ask how the run is, then go on as that states. */
async function again(feed) {
  if (!alive(feed)) return;
  try {
    const run = await get(path(feed.data.n));
    takeRun(run);
    if (isActive(run)) stream(feed);
    else fetchAll(feed);
  } catch (e) {
    if (e.status === 0 && alive(feed)) feed.timer = setTimeout(() => again(feed), 1000);
  }
}

async function fetchAll(feed) {
  const { data } = feed;
  try {
    if (!data.columns) data.columns = (await get(`${path(data.n)}/results?points=2`)).columns;
    const refs = wantedOf(feed);
    if (!alive(feed)) return;
    const answer = refs.length ? await get(`${path(data.n)}/results${query(refs)}`) : { columns: [], time: [], values: [], rows_total: 0, decimated: false };
    if (!alive(feed)) return;
    data.take(answer);
    await fetchSteps(feed);
    await fetchEvents(feed);
  } catch (e) {
    if (e.status === 404) { data.columns ??= []; data.changed(); } // ended before its first row
    else if (e.status > 0 && e.status !== 401) toast(e.message, "error");
  }
}

async function fetchSteps(feed) {
  const steps = await get(`${path(feed.data.n)}/steps?points=${POINTS}`);
  if (!alive(feed)) return;
  feed.data.steps = steps;
  feed.data.changed();
}

/** The first events, or all: the list asks for others itself. */
async function fetchEvents(feed) {
  feed.missed = false;
  const events = await get(`${path(feed.data.n)}/events?points=${POINTS}`);
  if (alive(feed) && events.total >= feed.data.whole.total) feed.data.takeEvents(events);
}

/** Plots were zoomed: events of the range, where there are more than the first. */
export async function fetchEventsIn(n, range) {
  const feed = feeds.get(n), data = feed?.data;
  if (!data || data.whole.total <= data.whole.time.length) return;
  if (!range) { if (data.part) data.takePart(0, 0, null); return; }
  const [from, to] = range;
  if (data.part?.from === from && data.part?.to === to) return;
  try {
    const events = await get(`${path(n)}/events?points=${POINTS}&from=${from}&to=${to}`);
    if (alive(feed)) data.takePart(from, to, events);
  } catch { /* the first ones stay */ }
}

/** What the stream does not bring: attempts at steps. And the state once more,
 *  since an answer to a request may have come after newer news. */
function poll(feed) {
  clearTimeout(feed.timer);
  feed.timer = setTimeout(async () => {
    if (!alive(feed) || !feed.live) return;
    try {
      takeRun(await get(path(feed.data.n)));
      await fetchSteps(feed);
      if (feed.missed) await fetchEvents(feed);
    } catch { /* the next one may do */ }
    if (alive(feed) && feed.live) poll(feed);
  }, POLL_EVERY);
}

let zoomTimer = 0;
/** Plots were zoomed: fetch what decimation left out there. */
export function zoomTo(range) {
  clearTimeout(zoomTimer);
  if (!range) return;
  zoomTimer = setTimeout(() => {
    for (const feed of feeds.values())
      if (feed.data.decimated && !feed.live && feed.data.look(range) === feed.data) fetchDetail(feed, range);
  }, 200);
}

async function fetchDetail(feed, [from, to]) {
  try {
    const answer = await get(`${path(feed.data.n)}/results${query(wantedOf(feed), `&from=${from}&to=${to}`)}`);
    if (alive(feed)) feed.data.takeDetail(from, to, answer);
  } catch { /* the coarse curve stays */ }
}
