// SPDX-License-Identifier: MIT
// The line above a plot: curves with their values, which hide when they are pressed.
import { removePlot } from "../state/plots.js";
import { valueAt } from "../model/compare.js";
import { show } from "../model/number.js";
import { Icon } from "../ui/Icon.jsx";
import { Menu } from "../ui/Menu.jsx";
import { savePng, saveSvg } from "../ui/pictures.js";
import { Chooser } from "./Chooser.jsx";
import { keyOf } from "./curves.js";

function valueOf(c, t) {
  const seen = c.data.look(t == null ? null : [t, t]);
  const values = seen.values.get(c.ref);
  return !values ? null : t == null ? c.data.last(c.ref) : valueAt(seen.time, values, t, c.stepped);
}

function Values({ c, t, cursors }) {
  if (c.data.columns && !c.data.columns.includes(c.ref)) return <b>not recorded</b>;
  const words = (v) => (c.scale === "boolean" && (v === 0 || v === 1) ? String(Boolean(v)) : show(v));
  const unit = c.scale !== "1" && c.variable?.unit ? <span class="unit">{c.variable.unit}</span> : null;
  if (!cursors) return <><b>{words(valueOf(c, t))}</b>{unit}</>;
  const [a, b] = cursors.map((k) => valueOf(c, k));
  return <><span class="faint">A</span><b>{words(a)}</b><span class="faint">B</span><b>{words(b)}</b><span class="faint">B − A</span><b>{a == null || b == null ? "–" : show(b - a)}</b>{unit}</>;
}

function Readout({ curves, names, t, cursors, many, gaps, hidden, onToggle }) {
  return (
    <ul class="readout">
      {curves.map((c) => {
        const off = hidden.has(keyOf(c)), name = names.get(c.ref) ?? c.ref;
        return (
          <li key={keyOf(c)} class={off ? "off" : ""}>
            <button type="button" aria-pressed={!off} title={off ? "Show this curve" : "Hide this curve"} onClick={() => onToggle(c)}>
              <svg width="22" height="8" aria-hidden="true"><line x1="1" x2="21" y1="4" y2="4" stroke={c.colour} stroke-width="2.5" stroke-dasharray={c.dash.join(" ")} /></svg>
              <span>{gaps ? `Δ ${name}` : name}{many && <span class="faint"> {c.run.name}</span>}</span>
            </button>
            <Values c={c} t={t} cursors={cursors} />
          </li>
        );
      })}
    </ul>
  );
}

export function Caption({ plot, curves, names, t, cursors, many, gaps, hidden, onToggle, picture, children }) {
  const file = curves.map((c) => names.get(c.ref) ?? c.ref).slice(0, 3).join(" ") || "plot";
  return (
    <figcaption>
      <Readout curves={curves} names={names} t={t} cursors={cursors} many={many} gaps={gaps} hidden={hidden} onToggle={onToggle} />
      {children}
      {t != null && <span class="at">t = {show(t)} s</span>}
      {picture && <Menu icon="download" label="" title="picture of this plot" items={[{ label: "picture (SVG)", act: () => saveSvg(picture(), file) }, { label: "picture (PNG)", act: () => savePng(picture(), file) }]} />}
      <Chooser plot={plot} />
      <button type="button" class="tool" aria-label="remove this plot" title="Remove this plot" onClick={() => removePlot(plot.id)}><Icon name="close" size={14} /></button>
    </figcaption>
  );
}
