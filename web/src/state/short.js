// SPDX-License-Identifier: MIT
// Names of the scenario on the screen, as people read them.
import { brief, shortNames } from "../model/ref.js";
import { instancesOf } from "../model/scenario.js";
import { scenarioNow } from "./app.js";

let last = { of: undefined, units: [], words: String };

function now() {
  const of = scenarioNow();
  if (last.of === of) return last;
  const units = of ? instancesOf(of).map((i) => i.unit) : [];
  last = { of, units, words: brief(units) };
  return last;
}

/** A name, or a text with names, without the keys it can do without. */
export const short = (text) => now().words(text);

/** What is read of each of these names, by name; some may be of runs of another scenario. */
export const namesOf = (refs) => shortNames(refs, now().units);
