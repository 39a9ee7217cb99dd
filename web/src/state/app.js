// SPDX-License-Identifier: MIT
// Everything the page knows, in one place. Curves are not here: see data/.
import { createStore, useStore } from "./store.js";
import { begin } from "../model/history.js";

export const NO_SESSION = {
  session: null,          // as the service reports it
  history: begin(null),   // of the scenario; null: there is none yet
  fmus: [],               // what the FMUs are
  unitsKnown: false,
  check: null,            // last answer of check
  checked: null,          // the scenario it was about
  checking: false,
  drafts: {},             // fields whose text is no value: see state/drafts.js
  saving: "saved",        // saved, saving, failed
  selection: null,        // {unit} or {from, to}
  runs: [],
  shown: [],              // numbers of the runs in the plots; the first is the one others are compared with
  plots: null,            // [{id, refs}]; null: chosen by the page
  places: {},             // unit -> {x, y} where it was put
  range: null,            // [t0, t1] all plots are zoomed to
  cursors: null,          // [a, b]: instants whose values are compared
  follow: null,           // s: plots show so much of a run that goes on
  compare: { gaps: false, tolerance: null }, // curves of differences; what is tolerated: {abs} or {rel}
  studies: [],            // runs of other kinds: stability, tune, sweep
  findings: {},           // number -> {summary, table} of those that ended
  offer: null,            // [{from, to, why}]: connections that fit what came just now
  pointed: null,          // instant of the event that was chosen in the list
};

export const app = createStore({
  route: { view: "home" },
  service: null,          // answer of GET /api/v1
  gone: false,            // the service does not answer
  tokenWanted: false,     // or true, or "refused"
  theme: "auto",
  dark: false,            // what the theme comes to
  toasts: [],
  announcement: "",             // for those who listen
  layout: "both",         // both, diagram, plots
  side: "unit",           // unit, settings, runs, study
  study: "stability",     // stability, tune, sweep
  drawer: null,           // problems, events, log, scenario
  place: null,            // {line, column} to show in the text
  ...NO_SESSION,
});

export const useApp = (select) => useStore(app, select);
export const scenarioNow = () => app.get().history.present;

let toastId = 0;
/** Shows something for a while; errors stay until they are closed. */
export function toast(text, kind = "note") {
  const id = ++toastId;
  app.set((s) => ({ toasts: [...s.toasts.filter((t) => t.text !== text), { id, text, kind }].slice(-4) }));
  if (kind !== "error") setTimeout(() => dismiss(id), 4000);
}
export const dismiss = (id) => app.set((s) => ({ toasts: s.toasts.filter((t) => t.id !== id) }));
export const announce = (text) => app.set({ announcement: text });
