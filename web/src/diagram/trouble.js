// SPDX-License-Identifier: MIT
// What is wrong where: fields, problems of the check, and what a run met.
import { draftsOf, draftWords } from "../model/verdict.js";

/** {units: unit -> {level, loud, messages}, ports: ref -> level}; what is loud is shown beside the block. */
export function troubleOf(check, run, drafts = {}) {
  const units = new Map(), ports = new Map();
  const note = (unit, port, level, message, loud = level === "error") => {
    const old = units.get(unit) ?? { level, loud: false, messages: [] };
    units.set(unit, { level: old.level === "error" ? "error" : level, loud: old.loud || loud, messages: [...old.messages, message] });
    if (port && ports.get(`${unit}.${port}`) !== "error") ports.set(`${unit}.${port}`, level);
  };
  for (const d of draftsOf(drafts)) if (d.unit) note(d.unit, null, "error", draftWords(d));
  if (run?.state === "failed" && run.unit) note(run.unit, null, "error", `${run.name}: ${run.message}`);
  for (const w of run?.warnings ?? []) if (w.unit) note(w.unit, null, "warning", `${run.name}: ${w.message}`, true);
  for (const p of check?.problems ?? []) if (p.unit) note(p.unit, p.port, "error", p.message);
  for (const p of check?.warnings ?? []) if (p.unit) note(p.unit, p.port, "warning", p.message);
  return { units, ports };
}
