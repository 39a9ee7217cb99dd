// SPDX-License-Identifier: MIT
// Blocks of the scenario on the screen, made once for all who look.
import { useApp } from "./app.js";
import { blocksOf } from "../model/blocks.js";

let last = { scenario: undefined, fmus: undefined, blocks: [] };

export function blocksNow(scenario, fmus) {
  if (last.scenario !== scenario || last.fmus !== fmus) last = { scenario, fmus, blocks: scenario ? blocksOf(scenario, fmus) : [] };
  return last.blocks;
}

export const useBlocks = () => useApp((s) => blocksNow(s.history.present, s.fmus));
