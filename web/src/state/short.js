// SPDX-License-Identifier: MIT
// Names of the scenario on the screen, as people read them.
import { brief } from "../model/ref.js";
import { instancesOf } from "../model/scenario.js";
import { scenarioNow } from "./app.js";

let last = { of: undefined, words: String };

/** A name, or a text with names, without the keys it can do without. */
export function short(text) {
  const of = scenarioNow();
  if (last.of !== of) last = { of, words: brief(of ? instancesOf(of).map((i) => i.unit) : []) };
  return last.words(text);
}
