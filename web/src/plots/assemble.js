// SPDX-License-Identifier: MIT
// Curves of several runs, each with its own instants, on one time axis.

/** curves: [{data, ref}] -> [times, values of the first curve, …]. `join` lays
 *  tables of this shape over each other: uPlot.join. */
export function assemble(curves, range, join) {
  if (!curves.length) return [[]];
  const byRun = new Map(); // data -> numbers of its curves
  curves.forEach((c, i) => byRun.set(c.data, [...(byRun.get(c.data) ?? []), i]));
  const tables = [...byRun].map(([data, mine]) => {
    const look = data.look(range);
    return [look.time, ...mine.map((i) => look.values.get(curves[i].ref) ?? new Array(look.time.length).fill(null))];
  });
  if (tables.length === 1) return tables[0];
  const [time, ...columns] = join(tables);
  const order = [...byRun.values()].flat();
  return [time, ...curves.map((_, i) => columns[order.indexOf(i)])];
}
