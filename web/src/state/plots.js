// SPDX-License-Identifier: MIT
// Which plots there are: the user's, or the page's own choice.
import { app, useApp } from "./app.js";
import { blocksNow } from "./blocks.js";
import { recordedOf } from "../model/blocks.js";
import { autoPlots } from "../model/plots.js";
import { remember } from "./session.js";

let last = { scenario: null, fmus: null, plots: [] };

function automatic(scenario, fmus) {
  if (last.scenario !== scenario || last.fmus !== fmus)
    last = { scenario, fmus, plots: scenario ? autoPlots(recordedOf(scenario, blocksNow(scenario, fmus))) : [] };
  return last.plots;
}

export const plotsNow = (s = app.get()) => s.plots ?? automatic(s.history.present, s.fmus);
export const usePlots = () => useApp(plotsNow);

/** From now on the plots are the user's; null: the page's again. */
export function setPlots(plots) {
  app.set({ plots });
  remember();
}

export function addPlot() {
  const plots = plotsNow();
  let n = plots.length + 1;
  while (plots.some((p) => p.id === `plot${n}`)) n += 1;
  setPlots([...plots, { id: `plot${n}`, refs: [] }]);
  return `plot${n}`;
}
export const removePlot = (id) => setPlots(plotsNow().filter((p) => p.id !== id));

export function setRange(range) {
  app.set({ range });
}
