// SPDX-License-Identifier: MIT
import { infoOf } from "./blocks.js";

/** What the units suggest, where the scenario states nothing. */
export function suggestTimes(scenario, fmus) {
  const hints = Object.entries(scenario.fmus ?? {}).map(([k, l]) => infoOf(fmus, l, k).info?.defaultExperiment ?? {});
  const steps = hints.map((h) => h.stepSize).filter((x) => x > 0);
  const ends = hints.map((h) => h.stopTime).filter((x) => x > 0);
  const next = { ...scenario };
  if (!next.algorithm) next.algorithm = { type: "fixed-step", size: steps.length ? Math.min(...steps) : 0.01 };
  if (next.endTime === undefined) next.endTime = ends.length ? Math.max(...ends) : 10;
  return next;
}
