// SPDX-License-Identifier: MIT
// Which variables a plot shows: search and tick. A variable that is not
// recorded yet is recorded from the next run on.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { toast, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { plotsNow, setPlots } from "../state/plots.js";
import { useBlocks } from "../state/blocks.js";
import { dataOf } from "../data/feed.js";
import { recordedOf } from "../model/blocks.js";
import { toggleRef } from "../model/plots.js";
import { parseRef, shortNames } from "../model/ref.js";
import { logVariable } from "../model/scenario.js";
import { family } from "../model/variables.js";
import { useAway } from "../ui/away.js";
import { Icon } from "../ui/Icon.jsx";

const SHOWN = 80;

/** [{ref, variable, recorded}]: recorded ones first. */
function useVariables() {
  const { scenario, shown } = useApp((s) => ({ scenario: s.history.present, shown: s.shown }));
  const blocks = useBlocks();
  return useMemo(() => {
    const known = new Set([...recordedOf(scenario ?? {}, blocks).map((r) => r.ref), ...shown.flatMap((n) => dataOf(n)?.columns ?? [])]);
    const all = blocks.flatMap((b) => [...b.variables.values()].filter((v) => v.causality !== "independent" && ["number", "boolean"].includes(family(v.type)))
      .map((v) => ({ ref: `${b.unit}.${v.name}`, variable: v, recorded: known.has(`${b.unit}.${v.name}`) })));
    const strays = [...known].filter((r) => !all.some((v) => v.ref === r)).map((ref) => ({ ref, variable: null, recorded: true }));
    return [...all, ...strays].sort((a, b) => b.recorded - a.recorded);
  }, [scenario, blocks, shown]);
}

function List({ plot, onClose }) {
  const [search, setSearch] = useState("");
  const all = useVariables();
  const names = shortNames(all.map((v) => v.ref));
  const words = search.trim().toLowerCase();
  const found = all.filter((v) => !words || `${v.ref} ${v.variable?.description ?? ""}`.toLowerCase().includes(words));
  const box = useRef();
  useEffect(() => { box.current.focus(); }, []);
  const tick = (v) => {
    setPlots(toggleRef(plotsNow(), plot.id, v.ref));
    if (v.recorded || plot.refs.includes(v.ref)) return;
    const { unit, variable } = parseRef(v.ref);
    edit((s) => logVariable(s, unit, variable));
    toast(`${names.get(v.ref)} is recorded from the next run on.`);
  };
  return (
    <div class="chooser" role="dialog" aria-label="variables of this plot" onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); onClose(); } }}>
      <input ref={box} type="search" placeholder={`Search ${all.length} variables`} aria-label="search variables" value={search} onInput={(e) => setSearch(e.target.value)} />
      <ul>
        {found.slice(0, SHOWN).map((v) => (
          <li key={v.ref}>
            <label title={v.variable?.description}>
              <input type="checkbox" checked={plot.refs.includes(v.ref)} onChange={() => tick(v)} />
              <span>{names.get(v.ref)}</span><span class="unit">{v.variable?.unit}</span>{!v.recorded && <span class="faint">not recorded yet</span>}
            </label>
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p class="faint">and {found.length - SHOWN} more: search for them</p>}
    </div>
  );
}

export function Chooser({ plot }) {
  const [open, setOpen] = useState(false);
  const host = useRef();
  useAway(host, open, () => setOpen(false));
  const close = () => { setOpen(false); host.current.querySelector("button").focus(); };
  return (
    <div class="chooser-host" ref={host}>
      <button type="button" class="tool" aria-haspopup="dialog" aria-expanded={open} aria-label="choose variables" title="Choose variables" onClick={() => setOpen(!open)}><Icon name="down" size={16} /></button>
      {open && <List plot={plot} onClose={close} />}
    </div>
  );
}
