// SPDX-License-Identifier: MIT
// What is wrong now: fields that are no values, what the check found, how the
// last run went. "No problems" is shown only when all of that is known.
import { count } from "./number.js";

const BAD = { failed: "failed", interrupted: "was interrupted" };
export const isBad = (run) => Boolean(BAD[run?.state]);

/** Fields in the way: of a run, or of the next step of one. */
export const draftsOf = (drafts, scope = "run") => Object.entries(drafts).map(([key, d]) => ({ key, ...d })).filter((d) => d.scope === scope);

export const draftWords = (d) => `${d.what}: ${d.message}${d.text.length <= 40 ? `, not “${d.text}”` : ""}`;

/** {errors, warnings}: [{message, unit?, ...}], the most urgent first. */
export function troubles({ check, drafts, run }) {
  const fields = draftsOf(drafts).map((d) => ({ message: draftWords(d), unit: d.unit, draft: d }));
  const failed = isBad(run) ? [{ message: `${run.name} ${BAD[run.state]}: ${run.message ?? run.state}`, unit: run.unit }] : [];
  const warned = (run?.warnings ?? []).map((w) => ({ message: `${run.name}: ${w.message}`, unit: w.unit }));
  return { errors: [...fields, ...(check?.problems ?? []), ...failed], warnings: [...warned, ...(check?.warnings ?? [])] };
}

/** [level, words] for the line at the bottom. `current`: the check is of what is on the screen. */
export function verdict({ check, checking, current, saving, drafts, run }) {
  const { errors, warnings } = troubles({ check, drafts, run });
  if (errors.length === 1 && isBad(run)) return ["error", `${run.name} ${BAD[run.state]}`];
  if (errors.length) return ["error", count(errors.length, "problem")];
  if (saving === "failed") return ["warning", "not saved"];
  if (checking || saving === "saving" || (check && !current)) return ["", "checking…"];
  if (!check) return ["", "not checked"];
  return warnings.length ? ["warning", count(warnings.length, "warning")] : ["ok", "no problems"];
}
