// SPDX-License-Identifier: MIT
// What is wrong where: problems of the check and the unit a run failed in.

/** {units: unit -> {level, messages}, ports: ref -> level} */
export function troubleOf(check, run) {
  const units = new Map(), ports = new Map();
  const note = (unit, port, level, message) => {
    const old = units.get(unit) ?? { level, messages: [] };
    units.set(unit, { level: old.level === "error" ? "error" : level, messages: [...old.messages, message] });
    if (port && ports.get(`${unit}.${port}`) !== "error") ports.set(`${unit}.${port}`, level);
  };
  if (run?.state === "failed" && run.unit) note(run.unit, null, "error", `${run.name}: ${run.message}`);
  for (const p of check?.problems ?? []) if (p.unit) note(p.unit, p.port, "error", p.message);
  for (const p of check?.warnings ?? []) if (p.unit) note(p.unit, p.port, "warning", p.message);
  return { units, ports };
}
