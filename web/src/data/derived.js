// SPDX-License-Identifier: MIT
// Curves made from those of one run or two, at the instants of the first: how far
// they are apart, and a band around one.
import { valueAt } from "../model/compare.js";

export class Derived {
  /** of(ref, a, b): values at the instants of a, where both are looks. */
  constructor(a, b, of) {
    Object.assign(this, { a, b, of, n: `${b.n}-${a.n}` });
  }

  get columns() { return this.a.columns && this.b.columns && this.a.columns.filter((c) => this.b.columns.includes(c)); }
  get time() { return this.a.time; }
  get events() { return this.a.events; }

  subscribe(notify) {
    const off = [this.a, this.b].map((d) => d.subscribe(notify));
    return () => off.forEach((f) => f());
  }

  look(range) {
    const a = this.a.look(range), b = this.b.look(range);
    return { time: a.time, values: { get: (ref) => (a.values.get(ref) && b.values.get(ref) ? this.of(ref, a, b) : undefined) } };
  }

  last(ref) {
    return this.look(null).values.get(ref)?.at(-1) ?? null;
  }
}

export const gap = (a, b, stepped) => new Derived(a, b, (ref, la, lb) => {
  const values = la.values.get(ref), other = lb.values.get(ref);
  return la.time.map((t, i) => { const v = valueAt(lb.time, other, t, stepped(ref)); return v == null || values[i] == null ? null : v - values[i]; });
});

/** One edge of the tolerance: around the curve, or around no difference. */
export const edge = (a, allowed, side, around) => new Derived(a, a, (ref, la) =>
  la.values.get(ref).map((v) => (v == null ? null : (around ? v : 0) + side * allowed(v))));
