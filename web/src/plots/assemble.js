// SPDX-License-Identifier: MIT
// Curves of several runs, each with its own instants, on one time axis.

/** How many rows a table has at the time of row i, from there on. */
function repeats(time, i) {
  let n = 1;
  while (time[i + n] === time[i]) n += 1;
  return n;
}

/** Tables [times, values, …] laid over each other. At an event a table has several
 *  rows of one time, and all of them stay; where a table has none, there is undefined,
 *  which is no gap. */
export function overlay(tables) {
  const at = tables.map(() => 0);
  const time = [], columns = tables.flatMap((table) => table.slice(1).map(() => []));
  for (;;) {
    const next = Math.min(...tables.map(([t], k) => (at[k] < t.length ? t[at[k]] : Infinity)));
    if (next === Infinity) return [time, ...columns];
    const rows = tables.map(([t], k) => (t[at[k]] === next ? repeats(t, at[k]) : 0));
    for (let r = 0; r < Math.max(...rows); r += 1) {
      time.push(next);
      let c = 0;
      tables.forEach((table, k) => {
        for (const values of table.slice(1)) columns[c++].push(r < rows[k] ? values[at[k] + r] : undefined);
      });
    }
    rows.forEach((n, k) => { at[k] += n; });
  }
}

/** curves: [{data, ref}] -> [times, values of the first curve, …] */
export function assemble(curves, range) {
  if (!curves.length) return [[]];
  const byRun = new Map(); // data -> numbers of its curves
  curves.forEach((c, i) => byRun.set(c.data, [...(byRun.get(c.data) ?? []), i]));
  const tables = [...byRun].map(([data, mine]) => {
    const look = data.look(range);
    return [look.time, ...mine.map((i) => look.values.get(curves[i].ref) ?? new Array(look.time.length).fill(null))];
  });
  if (tables.length === 1) return tables[0];
  const [time, ...columns] = overlay(tables);
  const order = [...byRun.values()].flat();
  return [time, ...curves.map((_, i) => columns[order.indexOf(i)])];
}

/** With rows within steps, a continuous curve goes over those of other instances, where it
 *  has no value. */
export const spansGaps = (curve) => !curve.stepped && (curve.data.columns ?? []).includes("intermediate");

/** Values of single instants, as those of a clock that ticks: none has a neighbour at
 *  another time. */
export function isSparse(time, values) {
  let last = -2, n = 0;
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] == null) continue;
    if (last === i - 1 && time[last] < time[i]) return false;
    last = i;
    n += 1;
  }
  return n > 0 && n < values.length;
}
