// SPDX-License-Identifier: MIT
// The block diagram. Geometry comes from scene.js; here are the gestures.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { app, announce, useApp } from "../state/app.js";
import { remember } from "../state/session.js";
import { currentRun } from "../state/runs.js";
import { useBlocks } from "../state/blocks.js";
import { useFinding, useStudy } from "../state/studies.js";
import { guilty } from "../model/study.js";
import { connectionsOf } from "../model/scenario.js";
import { count } from "../model/number.js";
import { short } from "../state/short.js";
import { Block } from "./Block.jsx";
import { Callout } from "./Callout.jsx";
import { Hint } from "./Hint.jsx";
import { Offer } from "./Offer.jsx";
import { Tools } from "./Tools.jsx";
import { Wires } from "./Wires.jsx";
import { drag } from "./drag.js";
import { drawnPlaces } from "./drawn.js";
import { bounds, layout } from "./layout.js";
import { canJoin, cut, join, targetsOf, wireOf } from "./linking.js";
import { key, placeNew, sceneOf, sizesOf, toward } from "./scene.js";
import { troubleOf } from "./trouble.js";
import { useViewport } from "./viewport.js";

const NUDGE = 12;
const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/** Blocks without a place get the one the file has for them, or one all together, or beside the others. */
function usePlaces(scenario, blocks, sizes, known, places) {
  useEffect(() => {
    const fresh = blocks.filter((b) => !places[b.unit]);
    if (!known || !fresh.length) return;
    const drawn = drawnPlaces(scenario, fresh, sizes);
    if (Object.keys(drawn).length) {
      app.set((s) => ({ places: { ...s.places, ...drawn } }));
      return; // those without one come next
    }
    const whole = fresh.length === blocks.length;
    const placed = whole ? Object.fromEntries(layout(blocks, sizes, connectionsOf(scenario)))
      : placeNew(fresh, sizes, sceneOf(scenario, blocks, sizes, places).boxes);
    app.set((s) => ({ places: { ...s.places, ...placed } }));
  }, [blocks, known, places]);
}

export function Diagram() {
  const host = useRef();
  const { scenario, known, places, selection, check, run, drafts } = useApp((s) => ({ scenario: s.history.present, known: s.unitsKnown,
    places: s.places, selection: s.selection, check: s.check, run: currentRun(s), drafts: s.drafts }));
  const blocks = useBlocks();
  const blamed = guilty(useFinding(useStudy("stability"))?.summary);
  const [expanded, setExpanded] = useState(new Set());
  const [linking, setLinking] = useState(null);
  const [hint, setHint] = useState(null);
  const { view, fit, pan, zoomBy, toDiagram, scale } = useViewport(host);
  const sizes = useMemo(() => sizesOf(blocks, expanded), [blocks, expanded]);
  const scene = useMemo(() => sceneOf(scenario ?? {}, blocks, sizes, places), [scenario, blocks, sizes, places]);
  const trouble = useMemo(() => troubleOf(check, run, drafts), [check, run, drafts]);
  const ready = known && scene.boxes.length === blocks.length;
  usePlaces(scenario ?? {}, blocks, sizes, known, places);

  const touched = useRef(false);
  const fitAll = useCallback(() => { touched.current = false; fit(bounds(scene)); }, [fit, scene]);
  const latestFit = useRef(fitAll);
  latestFit.current = fitAll;
  useEffect(() => { if (ready && !touched.current) latestFit.current(); }, [ready, blocks.length]);
  useEffect(() => {
    const watch = new ResizeObserver(() => { if (!touched.current) latestFit.current(); });
    watch.observe(host.current);
    return () => watch.disconnect();
  }, []);

  const live = useRef();
  live.current = { scene, linking, scenario };
  const focusPort = (p) => host.current.querySelector(`[data-side="${p.side}"][data-port="${CSS.escape(p.ref)}"]`)?.focus();
  const portUnder = (e) => {
    const el = document.elementFromPoint(e.clientX, e.clientY)?.closest("[data-port]");
    return el && live.current.scene.ports.get(key(el.dataset.side, el.dataset.port));
  };

  const arrange = () => {
    app.set({ places: Object.fromEntries(layout(blocks, sizes, connectionsOf(scenario ?? {}))) });
    touched.current = false;
    remember();
    requestAnimationFrame(() => latestFit.current());
  };
  const begin = (end, at, taken = null) => setLinking({ end, at, taken });
  const finish = (port) => {
    const { linking: l } = live.current;
    if (l && port && canJoin(l.end, port)) join(l.end, port, l.taken);
    setLinking(null);
  };
  const moveBlock = (unit, dx, dy) => app.set((s) => ({ places: { ...s.places, [unit]: { x: s.places[unit].x + dx, y: s.places[unit].y + dy } } }));

  const on = {
    select: (block) => app.set({ selection: { unit: block.unit }, side: "unit" }),
    fold: (block) => setExpanded((old) => { const next = new Set(old); if (!next.delete(block.unit)) next.add(block.unit); return next; }),
    hint: (port, side) => setHint(port && { ...port, side }),
    headDown(e, block) {
      e.stopPropagation();
      drag(e, { move: (_, dx, dy) => { touched.current = true; moveBlock(block.unit, dx / scale(), dy / scale()); }, end: (_, moved) => moved && remember() });
    },
    headKey(e, block) {
      if (!ARROWS.has(e.key)) return;
      e.preventDefault();
      const step = { ArrowLeft: [-NUDGE, 0], ArrowRight: [NUDGE, 0], ArrowUp: [0, -NUDGE], ArrowDown: [0, NUDGE] }[e.key];
      if (e.shiftKey) { moveBlock(block.unit, ...step); remember(); return; }
      const middle = (b) => ({ block: b.block, x: b.x + b.width / 2, y: b.y + b.height / 2 });
      const all = scene.boxes.map(middle);
      const next = toward(all, all.find((b) => b.block.unit === block.unit), e.key);
      if (next) host.current.querySelector(`[data-unit="${CSS.escape(next.block.unit)}"] .block-head`).focus();
    },
    portDown(e, port, side) {
      e.stopPropagation();
      const taken = side === "in" ? wireOf(scenario, { ...port, side }) : null;
      const end = taken ? scene.ports.get(key("out", taken.from)) : scene.ports.get(key(side, port.ref));
      drag(e, {
        move: (m) => begin(end, toDiagram(m), taken),
        end(up, moved) {
          if (!moved) { if (live.current.linking) finish(scene.ports.get(key(side, port.ref))); return; }
          const target = portUnder(up);
          if (taken && !target) { setLinking(null); cut(taken); }
          else finish(target);
        },
      });
    },
    portKey(e, port, side) {
      const here = scene.ports.get(key(side, port.ref));
      if (e.ctrlKey || e.metaKey) return; // Ctrl+Enter runs
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        if (linking) { finish(here); return; }
        begin(here, null);
        const n = targetsOf(scene, here).length;
        announce(`Connecting ${short(here.ref)}. ${count(n, "port")} can take it: arrow keys go there, Enter connects, Escape leaves it.`);
      } else if (ARROWS.has(e.key)) {
        e.preventDefault();
        const among = linking ? [...targetsOf(scene, linking.end), here] : [...scene.ports.values()];
        const next = toward(among, here, e.key);
        if (next) focusPort(next);
      } else if (e.key === "Delete" || e.key === "Backspace") {
        e.preventDefault();
        e.stopPropagation();
        const wire = wireOf(scenario, here);
        if (wire) cut(wire);
        else announce("Choose one of its connections first");
      }
    },
  };

  const background = (e) => {
    if (e.target.closest("button, .wire")) return;
    setLinking(null);
    drag(e, {
      move: (_, dx, dy) => { touched.current = true; pan(dx, dy); },
      end: (_, moved) => { if (!moved) app.set({ selection: null }); },
    });
  };
  const keys = (e) => {
    if (e.key === "Escape" && linking) { e.preventDefault(); e.stopPropagation(); setLinking(null); announce("No connection made"); }
    else if (!e.ctrlKey && !e.metaKey && (e.key === "+" || e.key === "=")) { touched.current = true; zoomBy(1.2); }
    else if (!e.ctrlKey && !e.metaKey && e.key === "-") { touched.current = true; zoomBy(1 / 1.2); }
    else if (!e.ctrlKey && !e.metaKey && e.key === "0") fitAll();
    else return;
    e.preventDefault();
  };

  const wires = useMemo(() => connectionsOf(scenario ?? {}), [scenario]);
  const sourceOf = (port) => { const w = wires.find((c) => c.to === port.ref); return w ? `from ${short(w.from)}` : ""; };
  const stateOf = (side, port) => {
    if (!linking) return "";
    const here = scene.ports.get(key(side, port.ref));
    if (here?.ref === linking.end.ref && side === linking.end.side) return "origin";
    return canJoin(linking.end, here) ? "target" : "dim";
  };
  const lit = (w) => selection?.unit && (w.a.unit === selection.unit || w.b.unit === selection.unit) || hint && (hint.side === "in" ? w.to : w.from) === hint.ref;

  return (
    <section id="diagram" class={`diagram ${linking ? "linking" : ""}`} aria-label="diagram of instances and connections" tabIndex={-1}
      ref={host} onPointerDown={background} onKeyDown={keys} onWheel={() => { touched.current = true; }}>
      <div class="canvas" style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.k})`}}>
        <Wires scene={scene} selection={selection} troubles={trouble.ports} lit={lit} linking={linking} onCut={cut} blamed={blamed}
          onSelect={(w) => app.set({ selection: { from: w.from, to: w.to } })} />
        {scene.boxes.map((box) => (
          <Block key={box.block.unit} box={box} on={on} selected={selection?.unit === box.block.unit} trouble={trouble.units.get(box.block.unit)}
            troubles={trouble.ports} stateOf={stateOf} sourceOf={sourceOf} expanded={expanded.has(box.block.unit)} />
        ))}
      </div>
      {scene.boxes.map((box) => <Callout key={box.block.unit} box={box} trouble={trouble.units.get(box.block.unit)} view={view} host={host} />)}
      {hint && <Hint port={hint} at={scene.ports.get(key(hint.side, hint.ref))} view={view} source={sourceOf(hint)} linking={linking} />}
      <Offer />
      {!blocks.length && <p class="empty">No instances yet. Drop FMUs here, or add one with the button on the right.</p>}
      <Tools onFit={fitAll} onZoom={(f) => { touched.current = true; zoomBy(f); }} onArrange={arrange} />
    </section>
  );
}
