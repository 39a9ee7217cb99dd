// SPDX-License-Identifier: MIT
// What differs between scenarios: each value that is not the same in all.

const isObject = (v) => v && typeof v === "object" && !Array.isArray(v);

/** name -> value; parameters by their own names, other fields by their path. */
export function valuesOf(scenario) {
  const found = new Map();
  const walk = (v, path) => {
    if (isObject(v)) for (const [k, x] of Object.entries(v)) walk(x, path === "parameters" ? k : path ? `${path}.${k}` : k);
    else found.set(path, Array.isArray(v) ? JSON.stringify(v) : v);
  };
  walk(scenario, "");
  return found;
}

/** [scenario] -> [[[name, value], …]] of each: what is not the same in all. */
export function varied(scenarios) {
  const all = scenarios.map(valuesOf);
  const names = new Set(all.flatMap((m) => [...m.keys()]));
  const differ = [...names].filter((n) => all.some((m) => m.get(n) !== all[0].get(n)));
  return all.map((m) => differ.map((n) => [n, m.get(n)]));
}
