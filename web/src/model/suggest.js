// SPDX-License-Identifier: MIT
import { infoOf } from "./blocks.js";

const EVENTFUL = ["devs", "library"]; // kinds of discrete-event units

/** Does time go from event to event? Then there is no step to choose. */
const byEvents = (infos) => infos.length > 0 && infos.every((i) => EVENTFUL.includes(i?.kind));

/** What the units suggest, where the scenario states nothing; the scenario itself, if that is nothing. */
export function suggestTimes(scenario, fmus) {
  const infos = Object.entries(scenario.fmus ?? {}).map(([k, l]) => infoOf(fmus, l, k).info);
  const hints = infos.map((i) => i?.defaultExperiment ?? {});
  const steps = hints.map((h) => h.stepSize).filter((x) => x > 0);
  const ends = hints.map((h) => h.stopTime).filter((x) => x > 0);
  const wants = !scenario.algorithm && !byEvents(infos);
  if (!wants && (scenario.endTime !== undefined || scenario.algorithm)) return scenario;
  const next = { ...scenario };
  if (wants) next.algorithm = { type: "fixed-step", size: steps.length ? Math.min(...steps) : 0.01 };
  if (next.endTime === undefined) next.endTime = ends.length ? Math.max(...ends) : 10;
  return next;
}
