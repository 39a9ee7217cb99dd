// SPDX-License-Identifier: MIT
// The curves of one run, as far as they are here. Rows come in from a stream or
// as a whole; what draws is notified. Of a long stream rows are kept that lie some
// gap apart, finer than a screen shows; all of it is fetched again at the end.
import { NONE, append } from "../model/events.js";

const MOST = 8000;

const number = (v) => (typeof v === "number" ? v : typeof v === "boolean" ? Number(v) : null);

export class RunData {
  constructor(n) {
    this.n = n;
    this.columns = null;    // all the run records; null: not known yet
    this.refs = [];         // those that are here
    this.time = [];
    this.values = new Map(); // ref -> array, as long as time
    this.total = 0;          // rows the service has
    this.decimated = false;
    this.detail = null;      // a closer look at a range: {from, to, time, values}
    this.steps = null;       // {time, h, accepted, reason}
    this.whole = NONE;       // events, from the first on
    this.part = null;        // ... of a range that the whole lacks: {from, to, events}
    this.version = 0;
    this.listeners = new Set();
  }

  subscribe(notify) {
    this.listeners.add(notify);
    return () => this.listeners.delete(notify);
  }

  changed() {
    this.version += 1;
    for (const notify of this.listeners) notify();
  }

  /** A stream begins anew with these columns. */
  begin(refs) {
    this.refs = refs;
    this.time = [];
    this.values = new Map(refs.map((r) => [r, []]));
    this.total = 0;
    this.gap = 0;          // s, between rows that are kept
    this.decimated = false;
    this.detail = null;
  }

  append(time, values) {
    const columns = this.refs.map((r) => this.values.get(r));
    time.forEach((t, row) => {
      if (this.isClose(t)) { // the newest row is always there; it makes way for the next
        this.time.pop();
        for (const c of columns) c.pop();
      }
      this.time.push(t);
      columns.forEach((c, i) => c.push(number(values[i][row])));
    });
    this.total += time.length;
    if (this.time.length > MOST) this.thin();
    this.changed();
  }

  /** Is the last row too close to the one before it to be kept besides t? */
  isClose(t) {
    const n = this.time.length;
    return this.gap > 0 && n > 1 && t - this.time[n - 1] < this.gap && this.time[n - 1] - this.time[n - 2] < this.gap;
  }

  /** Half as many rows, evenly over the time there is. The last one before a pause
   *  stays, so that a jump stays upright. */
  thin() {
    const last = this.time.length - 1;
    this.gap = (2 * (this.time[last] - this.time[0])) / MOST;
    let before = -Infinity;
    const kept = this.time.map((t, i) => {
      const keep = t - before >= this.gap || i === last || this.time[i + 1] - t >= this.gap;
      if (keep) before = t;
      return keep;
    });
    const only = (a) => a.filter((_, i) => kept[i]);
    this.time = only(this.time);
    for (const [r, a] of this.values) this.values.set(r, only(a));
    this.decimated = true;
  }

  /** The answer of …/results. */
  take(answer) {
    this.begin(answer.columns);
    this.time = answer.time;
    answer.columns.forEach((r, i) => this.values.set(r, answer.values[i].map(number)));
    this.total = answer.rows_total;
    this.decimated = answer.decimated;
    this.changed();
  }

  takeDetail(from, to, answer) {
    const values = new Map(answer.columns.map((r, i) => [r, answer.values[i].map(number)]));
    this.detail = { from, to, time: answer.time, values };
    this.changed();
  }

  /** What to draw for a range: the closer look if it covers it. */
  look(range) {
    const d = this.detail;
    if (range && d && range[0] >= d.from && range[1] <= d.to) return d;
    return this;
  }

  /** Events to draw. */
  get events() {
    return this.part?.events ?? this.whole;
  }

  takeEvents(events) {
    this.whole = events;
    this.part = null;
    this.changed();
  }

  /** New events of the stream. False: some between are missing. */
  addEvents(more) {
    const next = append(this.whole, more);
    if (next && next !== this.whole) this.takeEvents(next);
    return next !== null;
  }

  takePart(from, to, events) {
    this.part = events && { from, to, events };
    this.changed();
  }

  last(ref) {
    return this.values.get(ref)?.at(-1) ?? null;
  }
}
