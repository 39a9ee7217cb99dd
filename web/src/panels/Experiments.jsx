// SPDX-License-Identifier: MIT
// Scenarios kept under names of their own, as files in the session's folder.
import { useState } from "preact/hooks";
import { app, toast, useApp } from "../state/app.js";
import { keepExperiment, openExperiment, dropExperiment, experimentsOf } from "../state/experiments.js";
import { Remove } from "../ui/Remove.jsx";

export function Experiments() {
  const session = useApp((s) => s.session);
  const [name, setName] = useState("");
  const names = experimentsOf(session);
  const keep = async (e) => {
    e.preventDefault();
    if (await keepExperiment(name.trim())) { toast(`Kept as “${name.trim()}”.`); setName(""); }
  };
  return (
    <section aria-label="experiments">
      <h3>Experiments</h3>
      <ul class="experiments">
        {names.map((n) => (
          <li key={n}>
            <button type="button" class="named" title="Open this scenario; undo goes back" onClick={() => openExperiment(n)}>{n}</button>
            <Remove what={`experiment ${n}`} title="Remove this experiment" onRemove={() => dropExperiment(n)} />
          </li>
        ))}
        <li>
          <form onSubmit={keep}>
            <input type="text" aria-label="name of the experiment" placeholder="Name" value={name} onInput={(e) => setName(e.target.value)} />
            <button type="submit" class="quiet" disabled={!name.trim() || !app.get().history.present}>Keep this scenario</button>
          </form>
        </li>
      </ul>
    </section>
  );
}
