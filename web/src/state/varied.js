// SPDX-License-Identifier: MIT
// What the runs of a session had that others had not: of the newest ones.
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, runPath } from "../net/api.js";
import { varied } from "../model/varied.js";

const NEWEST = 40;
const known = new Map(); // path -> scenario; what ran does not change

/** run -> [[name, value]] */
export function useVaried(runs) {
  const [, tick] = useState(0);
  const newest = runs.slice(-NEWEST);
  const paths = newest.map((r) => runPath(r.session, r.id));
  useEffect(() => {
    let here = true;
    Promise.all(paths.filter((p) => !known.has(p)).map((p) => get(`${p}/scenario`).then((s) => known.set(p, s)).catch(() => {})))
      .then((got) => here && got.length && tick((n) => n + 1));
    return () => { here = false; };
  }, [paths.join()]);
  const there = paths.filter((p) => known.has(p));
  return useMemo(() => {
    const lists = varied(there.map((p) => known.get(p)));
    return new Map(newest.map((r, i) => [r.id, lists[there.indexOf(paths[i])]]));
  }, [there.join()]);
}
