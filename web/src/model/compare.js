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

/** {most, at, rms, n} of |b - a| where both are; n = 0: nowhere. */
export function difference(a, b, ref, steps = false) {
  const va = a.values.get(ref), vb = b.values.get(ref);
  let most = 0, at = null, sum = 0, n = 0;
  if (va && vb)
    a.time.forEach((t, i) => {
      const other = valueAt(b.time, vb, t, steps);
      if (va[i] == null || other == null) return;
      const d = Math.abs(other - va[i]);
      sum += d * d;
      n += 1;
      if (at === null || d > most) { most = d; at = t; }
    });
  return { most, at, rms: n ? Math.sqrt(sum / n) : null, n };
}
