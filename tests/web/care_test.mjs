// SPDX-License-Identifier: MIT
// The page loses no work and misleads nobody: in a real browser, before a live
// service.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { block, calm, dragTo, eventually, MISBEHAVE, openBrowser, openExample, port, runToEnd, Service } from "./rig.mjs";

let service, browser;

before(async () => {
  service = await new Service([], { own: false }).start();
  browser = await openBrowser();
});
after(async () => {
  await browser.end();
  await service.end();
});

function paged(name, body) {
  test(name, async () => {
    const page = await browser.page(service);
    await body(page);
    calm(page);
    await page.close();
  });
}

const run = (page) => page.getByRole("button", { name: "Run", exact: true });
const pill = (page, name) => page.getByRole("button", { name }).waitFor();
const stored = (id) => service.ask("GET", `/sessions/${id}/scenario`);

/** Sends a file into a session, and its scenario. */
async function furnish(scenario, ...files) {
  const { id } = await service.ask("POST", "/sessions", { name: "made" });
  for (const [name, data] of files)
    assert.equal((await fetch(`${service.url}/api/v1/sessions/${id}/files/${name}`, { method: "PUT", body: data })).status, 201);
  const text = typeof scenario === "string" ? scenario : JSON.stringify(scenario);
  assert.equal((await fetch(`${service.url}/api/v1/sessions/${id}/scenario`, { method: "PUT", body: text })).status, 204);
  return id;
}

async function open(page, id) {
  await page.goto(`${service.url}/#/session/${id}`);
  await page.waitForSelector(".block");
}

paged("the folder work is kept in is named, and sessions are there after a restart", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await runToEnd(page);
  await page.goto(`${service.url}/#/`);
  await page.getByText(`Kept in ${path.join(service.folder, "tutti", "sessions")}`).waitFor();
  page.expected.push(/ERR_|WebSocket/); // the service is away for a moment
  await service.stop();
  await service.start();
  await page.reload();
  await page.locator(`a[href="#/session/${id}"]`).getByText("1 run").waitFor();
});

paged("all sessions can be reached, not only the newest", async (page) => {
  const before = (await service.ask("GET", "/sessions")).length;
  for (let n = 0; n < 14; n += 1) await service.ask("POST", "/sessions", { name: `many ${n}` });
  await page.goto(`${service.url}/#/`);
  await eventually(() => page.locator(".recent").count(), 12);
  await page.getByRole("button", { name: `Show all ${before + 14}` }).click();
  await eventually(() => page.locator(".recent").count(), before + 14);
  await page.getByRole("button", { name: "Start empty" }).click();
  await page.waitForSelector(".topbar h1");
  assert.ok((await service.ask("GET", "/sessions")).every((s) => s.name), "a session without a name expires");
});

paged("a field that is no value blocks Run, counts as a problem, and waits to be corrected", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await pill(page, "no problems");
  await block(page, "{x2}.tank").locator(".block-head").click();
  const field = page.getByLabel("area", { exact: true });
  const first = await stored(id);
  await field.fill("a lot");
  await field.press("Tab");
  await pill(page, "1 problem");
  assert.equal(await run(page).isDisabled(), true);
  assert.equal(await page.getByRole("button", { name: "Stepwise" }).isDisabled(), true);
  assert.equal(await run(page).getAttribute("title"), "First this: tank.area: enter a number, not “a lot”");
  assert.match(await block(page, "{x2}.tank").getAttribute("class"), /is-error/);
  // out of sight it stays a problem, and by keys there is no way round
  await block(page, "{x1}.controller").locator(".block-head").click();
  await pill(page, "1 problem");
  await page.keyboard.press("Control+Enter");
  await page.getByText("tank.area: enter a number, not “a lot”").first().waitFor();
  assert.deepEqual(await service.ask("GET", `/sessions/${id}/runs`), []);
  await page.getByRole("button", { name: "show tank" }).click();
  assert.equal(await field.inputValue(), "a lot");
  await field.fill("2");
  await field.press("Enter");
  await pill(page, "no problems");
  assert.equal((await stored(id)).parameters["{x2}.tank.area"], 2);
  assert.equal(await run(page).isEnabled(), true);
  // so is one in the settings; it can be taken back where it is listed
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("To", { exact: true }).fill("soon");
  await page.getByLabel("To", { exact: true }).press("Enter");
  await pill(page, "1 problem");
  await page.getByRole("button", { name: "take back" }).click();
  await pill(page, "no problems");
  assert.equal((await stored(id)).endTime, first.endTime);
  assert.equal(await page.getByLabel("To", { exact: true }).inputValue(), String(first.endTime));
});

paged("what was typed when Ctrl+Enter is pressed takes part in the run", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await pill(page, "no problems");
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("To", { exact: true }).fill("3");
  await page.keyboard.press("Control+Enter");
  await eventually(async () => (await service.ask("GET", `/sessions/${id}/runs`)).map((r) => [r.end, r.state]), [[3, "finished"]]);
});

paged("places of problems are those of the text that is shown, as it was written", async (page) => {
  const text = '{"fmus": {"{m}": "misbehave.fmu"},\n\n\n   "instances": {"{m}": ["one"]},\n\t"parameters": {"{m}.one.nosuch": 1},\n"algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1e0}';
  const id = await furnish(text, ["misbehave.fmu", fs.readFileSync(MISBEHAVE)]);
  await open(page, id);
  await page.getByRole("button", { name: /^\d+ problem/ }).click();
  await page.getByRole("button", { name: /^line 5, column/ }).first().click();
  const area = page.getByLabel("scenario as JSON");
  const shown = await area.inputValue();
  const { start } = await area.evaluate((a) => ({ start: a.selectionStart }));
  assert.equal(shown.slice(0, start).split("\n").length, 5);
  assert.match(shown.slice(start), /^"\{m\}\.one\.nosuch"/);
  // a mistake in the text itself
  await area.fill('{\n  "fmus": {},\n  "endTime" 3\n}');
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText(/^line 3, column 13: /).first().waitFor();
  assert.equal(await area.evaluate((a) => a.selectionStart), 28);
  // text that is not applied is neither lost nor run over
  assert.equal(await run(page).isDisabled(), true);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "JSON" }).click();
  assert.equal(await area.inputValue(), '{\n  "fmus": {},\n  "endTime" 3\n}');
  const mine = shown.replace(/nosuch": 1/, 'amount": 2').replace("1e0", "2e0");
  await area.fill(mine);
  await page.getByRole("button", { name: "Apply" }).click();
  await pill(page, /no problems|warning/);
  assert.equal(await (await fetch(`${service.url}/api/v1/sessions/${id}/scenario`)).text(), mine);
  assert.equal(await area.inputValue(), mine);
});

const UNITS = { mps: ["m/s", 'm="1" s="-1"'], kmh: ["km/h", 'm="1" s="-1" factor="0.2777777777777778"'], kg: ["kg", 'kg="1"'] };
/** An FMU that is only described: an output and inputs in these units. */
function described(folder) {
  const units = Object.values(UNITS).map(([n, base]) => `<Unit name="${n}"><BaseUnit ${base}/></Unit>`).join("");
  const variable = (name, causality, unit, vr) => `<ScalarVariable name="${name}" valueReference="${vr}" causality="${causality}" variability="continuous"><Real unit="${unit}" ${causality === "input" ? 'start="0"' : ""}/></ScalarVariable>`;
  const all = [["v", "output", "m/s"], ["same", "input", "m/s"], ["other", "input", "km/h"], ["mass", "input", "kg"], ["odd", "input", "furlong"]];
  const xml = `<?xml version="1.0" encoding="UTF-8"?><fmiModelDescription fmiVersion="2.0" modelName="speeds" guid="g"><CoSimulation modelIdentifier="speeds"/><UnitDefinitions>${units}<Unit name="furlong"/></UnitDefinitions><ModelVariables>${all.map((v, i) => variable(...v, i)).join("")}</ModelVariables><ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure></fmiModelDescription>`;
  const at = path.join(folder, "speeds.fmu");
  execFileSync("python3", ["-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w'); z.writestr('modelDescription.xml', sys.argv[2]); z.writestr('binaries/linux64/speeds.so', '')", at, xml]);
  return fs.readFileSync(at);
}

paged("ports that fit are those whose units of measure convert", async (page) => {
  const id = await furnish({ fmus: { "{s}": "speeds.fmu" }, instances: { "{s}": ["a", "b"] }, algorithm: { type: "fixed-step", size: 1 }, endTime: 1 },
    ["speeds.fmu", described(service.folder)]);
  await open(page, id);
  await port(page, "out", "{s}.a.v").focus();
  await page.keyboard.press("Enter");
  const state = async (name) => ["target", "dim"].find((c) => name.split(" ").includes(c));
  for (const [name, wanted] of [["same", "target"], ["other", "target"], ["odd", "target"], ["mass", "dim"]])
    await eventually(async () => state(await port(page, "in", `{s}.b.${name}`).getAttribute("class")), wanted);
  await port(page, "in", "{s}.b.mass").hover();
  await page.getByText("m/s and kg measure different quantities").waitFor();
  await page.keyboard.press("Escape");
  await dragTo(page, port(page, "out", "{s}.a.v"), port(page, "in", "{s}.b.mass"));
  await dragTo(page, port(page, "out", "{s}.a.v"), port(page, "in", "{s}.b.other"));
  await eventually(async () => (await stored(id)).connections, { "{s}.a.v": ["{s}.b.other"] });
});

/** Processes below one. */
function below(pid) {
  let pids = [];
  try { pids = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean); } catch { /* it has ended */ }
  return pids.flatMap((p) => [...below(p), p]);
}

paged("a unit that dies and is started again is told at its block and in the status", async (page) => {
  const id = await furnish({ fmus: { "{m}": "misbehave.fmu" }, instances: { "{m}": ["one"] }, logVariables: { "{m}.one": ["y"] }, isolate: true,
    algorithm: { type: "fixed-step", size: 0.1 }, endTime: 1e5, realTime: { factor: 10 } }, ["misbehave.fmu", fs.readFileSync(MISBEHAVE)]);
  await open(page, id);
  await run(page).click();
  const told = () => service.ask("GET", `/sessions/${id}/runs/1`);
  await eventually(async () => (await told()).time > 1, true);
  process.kill(Number(below(service.child.pid)[0]), "SIGKILL"); // the innermost: the unit's own
  await eventually(async () => (await told()).warnings.map((w) => [w.unit, /was killed.*it was started again/.test(w.message)]), [["{m}.one", true]]);
  await page.locator(".callout.is-warning").getByText(/it was started again/).waitFor();
  await page.locator(".outcome").getByText(/it was started again/).waitFor();
  await pill(page, "1 warning");
  await page.getByRole("button", { name: "Stop" }).click();
  await run(page).waitFor();
  await page.locator(".outcome").getByText(/it was started again/).waitFor();
});

paged("a run that failed is a problem until the next one", async (page) => {
  const scenario = { fmus: { "{m}": "misbehave.fmu" }, instances: { "{m}": ["one"] }, parameters: { "{m}.one.what": 6, "{m}.one.when": 0.5 },
    algorithm: { type: "fixed-step", size: 0.1 }, endTime: 1 };
  await open(page, await furnish(scenario, ["misbehave.fmu", fs.readFileSync(MISBEHAVE)]));
  await pill(page, "no problems");
  assert.match(await runToEnd(page), /crashed/);
  await pill(page, "run 1 failed");
  await page.getByRole("button", { name: "run 1 failed" }).click();
  await page.locator(".problems li").getByText(/^run 1 failed: instance 'one': crashed in step/).waitFor();
  await block(page, "{m}.one").locator(".block-head").click();
  await page.getByLabel("what", { exact: true }).fill("0");
  await page.getByLabel("what", { exact: true }).press("Enter");
  await runToEnd(page);
  await pill(page, "no problems");
});

paged("edits that could not be saved are kept, told, and saved when there is room again", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await pill(page, "no problems");
  page.expected.push(/507/);
  await page.route("**/scenario", (route) => (route.request().method() === "PUT" ? route.fulfill({ status: 507, json: { error: { status: 507, message: "the folder of the sessions is full (…)" } } }) : route.continue()));
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("To", { exact: true }).fill("7");
  await page.getByLabel("To", { exact: true }).press("Enter");
  await page.getByText("not saved: the folder of the sessions is full (…)").waitFor();
  await pill(page, "not saved");
  const asked = new Promise((ok) => page.once("dialog", (d) => { ok(d.type()); d.dismiss(); }));
  await page.reload({ timeout: 2000 }).catch(() => {});
  assert.equal(await asked, "beforeunload");
  await page.unroute("**/scenario");
  await eventually(async () => (await stored(id)).endTime, 7);
  await pill(page, "no problems");
});
