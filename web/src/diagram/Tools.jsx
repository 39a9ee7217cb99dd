// SPDX-License-Identifier: MIT
import { useRef } from "preact/hooks";
import { app, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { addFiles } from "../state/files.js";
import { addUnit } from "../model/scenario.js";
import { COUPLING } from "../model/blocks.js";
import { Icon } from "../ui/Icon.jsx";
import { Menu } from "../ui/Menu.jsx";

function add(location) {
  let unit;
  edit((s) => { const [next, name] = addUnit(s, location); unit = name; return next; });
  app.set({ selection: { unit }, side: "unit" });
}

function AddUnit() {
  const files = useApp((s) => s.session?.files ?? []);
  const chooser = useRef();
  const units = files.filter((f) => /\.(fmu|csv)$/i.test(f.name));
  const items = [...units.map((f) => ({ label: f.name, act: () => add(f.name) })),
    { label: "coupling (built in)", act: () => add(COUPLING) },
    { label: "from a file…", act: () => chooser.current.click() }];
  return (
    <>
      <Menu icon="plus" label="Add instance" items={items} />
      <input ref={chooser} type="file" hidden multiple accept=".fmu,.csv,.json" aria-label="files to add"
        onChange={(e) => { addFiles([...e.target.files]); e.target.value = ""; }} />
    </>
  );
}

export function Tools({ onFit, onZoom, onArrange }) {
  const tool = (icon, label, act) => (
    <button type="button" class="tool" title={label} aria-label={label} onClick={act}><Icon name={icon} /></button>
  );
  return (
    <div class="tools" role="toolbar" aria-label="diagram" onPointerDown={(e) => e.stopPropagation()}>
      <AddUnit />
      {tool("arrange", "Arrange blocks", onArrange)}
      {tool("fit", "Show all (0)", onFit)}
      {tool("minus", "Smaller (-)", () => onZoom(1 / 1.2))}
      {tool("plus", "Larger (+)", () => onZoom(1.2))}
    </div>
  );
}
