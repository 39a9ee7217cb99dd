// SPDX-License-Identifier: MIT
import { useApp } from "../state/app.js";
import { textOf } from "../model/text.js";
import { runPath, sessionPath } from "../net/api.js";
import { flush } from "../state/session.js";
import { Menu } from "../ui/Menu.jsx";
import { fetchFile, fetchMade, saveText } from "../ui/download.js";
import { placedScenario, savePackage } from "../state/packages.js";

export function filesOf(run, sid) {
  const path = runPath(sid, run.id);
  return [
    { label: "results (CSV)", act: () => fetchFile(`${path}/results.csv`, `${run.name}.csv`) },
    { label: "results (MAT)", act: () => fetchFile(`${path}/results.mat`, `${run.name}.mat`) },
    { label: "results (HDF5)", act: () => fetchFile(`${path}/results.h5`, `${run.name}.h5`) },
    { label: "report (HTML)", act: () => fetchFile(`${path}/report.html`, `${run.name}.html`) },
    { label: "scenario it ran (JSON)", act: () => fetchFile(`${path}/scenario`, `${run.name}.json`) },
  ];
}

export function Downloads() {
  const { session, run } = useApp((s) => ({ session: s.session, run: s.runs.find((r) => r.id === s.shown.at(-1)) ?? null }));
  const items = [{ label: "scenario (JSON)", act: () => saveText(textOf(placedScenario()), `${session.name || "scenario"}.json`) },
    { label: "package with FMUs (SSP 1.0)", act: () => savePackage("1.0") },
    { label: "package with FMUs (SSP 2.0)", act: () => savePackage("2.0") },
    { label: "all of it as one FMU", act: async () => { await flush(); fetchMade(`${sessionPath(session.id)}/export.fmu`, `${session.name || "scenario"}.fmu`); } },
    ...(run ? filesOf(run, session.id).map((i) => ({ ...i, label: `${run.name}: ${i.label}` })) : [])];
  return <Menu icon="download" label="Download" items={items} />;
}
