// SPDX-License-Identifier: MIT
// How far two curves are apart, at the instants of the first.

/** A curve at t: the line between its points, or the last value if it steps. */
export function valueAt(time, values, t, steps = false) {
  let lo = 0, hi = time.length - 1;
  if (hi < 0 || t < time[0] || t > time[hi]) return null;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if (time[mid] <= t) lo = mid;
    else hi = mid;
  }
  if (time[hi] <= t) return values[hi];
  const a = values[lo], b = values[hi];
  if (a == null || b == null || steps || time[hi] === time[lo]) return a;
  return a + ((b - a) * (t - time[lo])) / (time[hi] - time[lo]);
}

/** What people write for a tolerance: "0.1", or "1 %" of each value. Throws a sentence. */
export function parseTolerance(text) {
  const [, digits, percent] = /^\s*(.*?)\s*(%?)\s*$/.exec(text);
  const n = Number(digits);
  if (digits === "" || !(n >= 0) || !Number.isFinite(n)) throw new Error("a number, or a percentage: 0.1 or 1 %");
  return percent ? { rel: n / 100 } : { abs: n };
}
export const showTolerance = (t) => (t == null ? undefined : t.rel !== undefined ? `${Number((t.rel * 100).toPrecision(12))} %` : String(t.abs));
/** How far from a value is tolerated. */
export const allowance = (t) => (v) => t.abs ?? t.rel * Math.abs(v);

/** {most, at, rms, n, out} of |b - a| where both are; n = 0: nowhere; out: at how many instants more than is allowed. */
export function difference(a, b, ref, steps = false, allowed = null) {
  const va = a.values.get(ref), vb = b.values.get(ref);
  let most = 0, at = null, sum = 0, n = 0, out = 0;
  if (va && vb)
    a.time.forEach((t, i) => {
      const other = valueAt(b.time, vb, t, steps);
      if (va[i] == null || other == null) return;
      const d = Math.abs(other - va[i]);
      sum += d * d;
      n += 1;
      if (allowed && d > allowed(va[i])) out += 1;
      if (at === null || d > most) { most = d; at = t; }
    });
  return { most, at, rms: n ? Math.sqrt(sum / n) : null, n, out };
}
