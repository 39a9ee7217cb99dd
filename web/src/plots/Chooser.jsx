// SPDX-License-Identifier: MIT
// Which variables a plot shows: search and tick. A variable that is not
// recorded yet is recorded from the next run on.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { toast, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { plotsNow, setPlots } from "../state/plots.js";
import { useBlocks } from "../state/blocks.js";
import { dataOf } from "../data/feed.js";
import { recordedOf } from "../model/blocks.js";
import { setOver, toggleRef } from "../model/plots.js";
import { parseRef, shortNames } from "../model/ref.js";
import { logVariable } from "../model/scenario.js";
import { family } from "../model/variables.js";
import { useAway } from "../ui/away.js";
import { Icon } from "../ui/Icon.jsx";

const SHOWN = 80;

/** Variables by instance, then by the parts of their names: {name, leaves, branches}. */
export function treeOf(all) {
  const root = { name: "", leaves: [], branches: new Map() };
  const branch = (at, name) => { if (!at.branches.has(name)) at.branches.set(name, { name, leaves: [], branches: new Map() }); return at.branches.get(name); };
  const names = shortNames(all.map((v) => parseRef(v.ref)?.unit ?? v.ref));
  for (const v of all) {
    const r = parseRef(v.ref) ?? { unit: "others", variable: v.ref };
    const parts = r.variable.split(/\.(?![^[]*\])/);
    parts.slice(0, -1).reduce(branch, branch(root, names.get(r.unit) ?? r.unit)).leaves.push({ ...v, last: parts.at(-1) });
  }
  return root;
}

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
  useLayoutEffect(() => { box.current.focus(); }, []); // at once: keys may follow
  const tick = (v) => {
    setPlots(toggleRef(plotsNow(), plot.id, v.ref));
    if (v.recorded || plot.refs.includes(v.ref)) return;
    const { unit, variable } = parseRef(v.ref);
    edit((s) => logVariable(s, unit, variable));
    toast(`${names.get(v.ref)} is recorded from the next run on.`);
  };
  const leaf = (v, name) => (
    <li key={v.ref} data-ref={v.ref}>
      <label title={v.variable?.description}>
        <input type="checkbox" checked={plot.refs.includes(v.ref)} onChange={() => tick(v)} />
        <span>{name}</span><span class="unit">{v.variable?.unit}</span>{!v.recorded && <span class="faint">not recorded yet</span>}
      </label>
    </li>
  );
  const grow = (at, open) => [...at.branches.values()].map((b) => (
    <details key={b.name} open={open}>
      <summary>{b.name}</summary>
      {b.leaves.length > 0 && <ul>{b.leaves.map((v) => leaf(v, v.last))}</ul>}
      {grow(b, false)}
    </details>
  ));
  return (
    <div class="chooser" role="dialog" aria-label="variables of this plot" onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); onClose(); } }}>
      <input ref={box} type="search" placeholder={`Search ${all.length} variables`} aria-label="search variables" value={search} onInput={(e) => setSearch(e.target.value)} />
      <div class="signals">{words ? <ul>{found.slice(0, SHOWN).map((v) => leaf(v, names.get(v.ref)))}</ul> : grow(treeOf(all), all.length <= SHOWN)}</div>
      {words && found.length > SHOWN && <p class="faint">and {found.length - SHOWN} more</p>}
      <label class="over">over
        <select value={plot.x ?? ""} onChange={(e) => setPlots(setOver(plotsNow(), plot.id, e.target.value))}>
          <option value="">time</option>
          {all.filter((v) => v.recorded).map((v) => <option key={v.ref} value={v.ref}>{names.get(v.ref)}</option>)}
        </select>
      </label>
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
