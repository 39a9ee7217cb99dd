// SPDX-License-Identifier: MIT
// The selected unit: what it is, and the values it starts with.
import { useState } from "preact/hooks";
import { app, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { removeSelected } from "../state/keys.js";
import { useBlocks } from "../state/blocks.js";
import { placeOf } from "../model/blocks.js";
import { addUnit, connectionsOf, setParameter } from "../model/scenario.js";
import { short } from "../state/short.js";
import { family, isSettable, parseValue, showValue } from "../model/variables.js";
import { Adaptations } from "./Adaptations.jsx";
import { Entry } from "../ui/Field.jsx";
import { Icon } from "../ui/Icon.jsx";

const SHOWN = 100; // rows at once; a search finds the others
const KINDS = [["parameter", "Parameters"], ["input", "Inputs"], ["state", "Start values"]];
const kindOf = (v) => (/arameter$/.test(v.causality) ? "parameter" : v.causality === "input" ? "input" : "state");

function Row({ block, variable, value, source }) {
  const ref = `${block.unit}.${variable.name}`;
  const set = (v) => edit((s) => setParameter(s, ref, v));
  const given = value !== undefined;
  const id = `p-${ref}`;
  return (
    <li class={`param ${given ? "given" : ""}`}>
      <label for={id} title={variable.description}>{variable.name}</label>
      {family(variable.type) === "boolean" && !variable.dimensions?.length
        ? (
          <select id={id} value={given ? String(value) : ""} onChange={(e) => set(e.target.value === "" ? undefined : e.target.value === "true")}>
            <option value="">{variable.start === undefined ? "as the instance has it" : `default: ${variable.start}`}</option>
            <option value="true">true</option><option value="false">false</option>
          </select>
        )
        : <Entry id={id} value={given ? showValue(value) : undefined} placeholder={showValue(variable.start) || "instance's own"} parse={(t) => parseValue(t, variable)} onChange={set}
          what={short(ref)} at={{ unit: block.unit, side: "unit" }} />}
      <span class="unit" title={variable.unit}>{variable.unit ?? ""}</span>
      <button type="button" class="tool" aria-label={`unset ${variable.name}`} title="Back to the instance's own value" disabled={!given} onClick={() => set(undefined)}><Icon name="close" size={13} /></button>
      {(variable.description || source) && <p>{[variable.description, source].filter(Boolean).join(" · ")}</p>}
    </li>
  );
}

function Facts({ block }) {
  const { info } = block;
  const cs = info?.coSimulation ?? {};
  const can = [["canGetAndSetFMUState", "rollback"], ["canHandleVariableCommunicationStepSize", "variable steps"], ["canInterpolateInputs", "follows inputs"],
    ["providesDirectionalDerivatives", "directional derivatives"], ["hasEventMode", "event mode"]].filter(([k]) => cs[k]).map(([, w]) => w);
  return (
    <>
      {info?.description && <p class="lead">{info.description}</p>}
      <p class="faint">{[placeOf(block), info?.fmiVersion && `FMI ${info.fmiVersion}`, info?.generationTool].filter(Boolean).join(" · ")}</p>
      {can.length > 0 && <p class="tags">{can.map((w) => <span key={w} class="tag">{w}</span>)}</p>}
      {block.error && <p class="wrong">{short(block.error)}</p>}
    </>
  );
}

function Parameters({ block }) {
  const [search, setSearch] = useState("");
  const { parameters, wires } = useApp((s) => ({ parameters: s.history.present?.parameters ?? {}, wires: s.history.present }));
  const sources = new Map(connectionsOf(wires ?? {}).map((c) => [c.to, `from ${short(c.from)}`]));
  const words = search.trim().toLowerCase();
  const all = [...block.variables.values()].filter(isSettable);
  const found = all.filter((v) => !words || `${v.name} ${v.description ?? ""} ${v.unit ?? ""}`.toLowerCase().includes(words));
  const strays = Object.keys(parameters).filter((r) => r.startsWith(`${block.unit}.`) && !block.variables.has(r.slice(block.unit.length + 1)))
    .map((r) => ({ name: r.slice(block.unit.length + 1), causality: "parameter", description: "not a variable of this instance" }));
  return (
    <>
      <input type="search" class="search" placeholder={`Search ${all.length} variables`} aria-label="search variables" value={search} onInput={(e) => setSearch(e.target.value)} />
      {KINDS.map(([kind, title]) => {
        const some = [...(kind === "parameter" ? strays : []), ...found.filter((v) => kindOf(v) === kind)];
        return some.length > 0 && (
          <section key={kind} aria-label={title}>
            <h3>{title}</h3>
            <ul class="params">{some.slice(0, SHOWN).map((v) => <Row key={v.name} block={block} variable={v} value={parameters[`${block.unit}.${v.name}`]} source={sources.get(`${block.unit}.${v.name}`)} />)}</ul>
            {some.length > SHOWN && <p class="faint">and {some.length - SHOWN} more: search for them</p>}
          </section>
        );
      })}
      {!found.length && <p class="faint">{words ? "No variable has this in its name, unit or description." : "This instance has nothing to set."}</p>}
    </>
  );
}

function Connection({ wire }) {
  return (
    <div class="panel">
      <h2>Connection</h2>
      <p class="lead">{short(wire.from)} feeds {short(wire.to)}.</p>
      <button type="button" class="quiet danger" onClick={removeSelected}><Icon name="trash" size={16} />Disconnect</button>
    </div>
  );
}

function Overview({ blocks }) {
  const folder = useApp((s) => s.session?.folder);
  return (
    <div class="panel">
      <h2>Instances</h2>
      <p class="faint">Choose a block to see its parameters. Drag from an output to an input to connect them; drag the end of a connection off to remove it.</p>
      <ul class="unit-list">
        {blocks.map((b) => <li key={b.unit}><button type="button" onClick={() => app.set({ selection: { unit: b.unit } })}><b>{b.name}</b><span>{b.info?.description ?? placeOf(b)}</span></button></li>)}
      </ul>
      {folder && <p class="folder faint">All files of this session are in <code>{folder}</code></p>}
      <details class="keys">
        <summary>By keyboard</summary>
        <dl>
          <div><dt>Tab, arrows</dt><dd>go to blocks and ports</dd></div>
          <div><dt>Enter on a port</dt><dd>begin a connection; arrows go to ports that fit, Enter connects, Escape leaves it</dd></div>
          <div><dt>Delete</dt><dd>removes the chosen block or connection</dd></div>
          <div><dt>Shift + arrows</dt><dd>move a block</dd></div>
          <div><dt>+ − 0</dt><dd>zoom the diagram, or a plot</dd></div>
          <div><dt>Ctrl + Enter</dt><dd>run</dd></div>
          <div><dt>Ctrl + Z</dt><dd>undo</dd></div>
        </dl>
      </details>
    </div>
  );
}

export function UnitPanel() {
  const selection = useApp((s) => s.selection);
  const blocks = useBlocks();
  if (selection?.from) return <Connection wire={selection} />;
  const block = blocks.find((b) => b.unit === selection?.unit);
  if (!block) return <Overview blocks={blocks} />;
  return (
    <div class="panel" key={block.unit}>
      <h2>{block.name}</h2>
      <Facts block={block} />
      <Parameters block={block} />
      <Adaptations block={block} />
      <div class="row end">
        <button type="button" class="quiet" onClick={() => edit((s) => addUnit(s, block.location)[0])}><Icon name="plus" size={16} />Another instance</button>
        <button type="button" class="quiet danger" onClick={removeSelected}><Icon name="trash" size={16} />Remove</button>
      </div>
    </div>
  );
}
