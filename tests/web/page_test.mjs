// SPDX-License-Identifier: MIT
// The page in a real browser, before a live service. PICTURES=FOLDER keeps
// screenshots of what is tested.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { ALLTYPES, block, calm, dragTo, eventually, ink, MISBEHAVE, openBrowser, openExample, port, readouts, runToEnd, Service, TANK } from "./rig.mjs";

const { PICTURES } = process.env;
let service, browser;
const picture = (page, name) => (PICTURES ? page.screenshot({ path: path.join(PICTURES, `${name}.png`) }) : null);

before(async () => {
  service = await new Service().start();
  browser = await openBrowser();
});
after(async () => {
  await browser.end();
  await service.end();
});

/** A test with a page of its own, at the end of which nothing was complained of. */
function paged(name, body, options) {
  test(name, async () => {
    const page = await browser.page(service, options);
    await body(page);
    calm(page);
    await page.close();
  });
}

/** The next answer about run 1, kept back until it is released: late, it changes nothing. */
async function heldAnswer(page) {
  let held, old;
  await page.route(/runs\/1$/, async (route) => {
    old = await route.fetch();
    held = route;
  }, { times: 1 });
  await eventually(async () => Boolean(held), true);
  return { release: () => held.fulfill({ response: old }) };
}

paged("the first view shows the examples, and one click opens one", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  const examples = await service.ask("GET", "/examples");
  assert.deepEqual(await page.$$eval(".card b", (all) => all.map((b) => b.textContent).slice(0, 3)), ["Water tank with a level controller", "Double mass-spring-damper", "Bouncing ball"]); // to begin with
  assert.deepEqual(await page.$$eval(".card b", (all) => all.map((b) => b.textContent).sort()), examples.map((e) => e.title).sort());
  await page.mouse.move(640, 5);
  await picture(page, "page-first");
  await page.getByRole("button", { name: /^Water tank/ }).first().click();
  await page.waitForSelector(".block");
  assert.deepEqual(await page.$$eval(".block .title", (all) => all.map((t) => t.textContent).sort()), ["controller", "tank"]);
  assert.match(page.url(), /#\/session\//);
  assert.equal(await page.title(), `${await page.textContent(".topbar h1")} · Tutti`);
});

paged("every example opens, with a block for each unit and a wire for each connection", async (page) => {
  for (const { name } of await service.ask("GET", "/examples")) {
    const id = await openExample(page, service, name);
    const { connections } = await service.ask("GET", `/sessions/${id}/scenario`);
    await eventually(() => page.locator(".wire").count(), Object.values(connections ?? {}).flat().length);
    assert.equal(await page.locator(".stumbled").count(), 0, name);
    await page.getByRole("button", { name: /no problems|warning/ }).waitFor();
  }
});

paged("a scenario inside is a block with its ports, and what it records is drawn", async (page) => {
  await openExample(page, service, "nested-water-tank");
  await eventually(() => block(page, "{stage}.upper").locator(".port").allTextContents(), ["inflow", "outflow", "level", "valve"]);
  await runToEnd(page);
  await eventually(async () => Object.keys(await readouts(page)), ["upper.outflow", "upper.level", "lower.level", "upper.valve", "lower.valve"]);
  await block(page, "{stage}.lower").locator(".block-head").click();
  assert.equal(await page.getByRole("textbox", { name: "maxLevel" }).inputValue(), "5"); // the scenario's, instead of 8
});

paged("what cannot be undone is asked for twice", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await runToEnd(page);
  const runs = async () => (await service.ask("GET", `/sessions/${id}/runs`)).length;
  await page.getByText("Runs", { exact: true }).click();
  await page.getByRole("button", { name: "remove run 1", exact: true }).click();
  await page.getByRole("button", { name: "really remove run 1?" }).waitFor();
  await page.mouse.move(5, 5); // no: elsewhere
  await page.getByRole("button", { name: "remove run 1", exact: true }).waitFor();
  assert.equal(await runs(), 1);
  await page.getByRole("button", { name: "remove run 1", exact: true }).focus(); // yes, by keyboard
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await eventually(runs, 0);
  await page.goto(service.url);
  const mine = page.locator(".recent").filter({ has: page.locator(`a[href$="${id}"]`) });
  await mine.getByRole("button").click();
  await mine.getByRole("button", { name: "really remove session water-tank?" }).click();
  await mine.waitFor({ state: "detached" });
  assert.ok(!(await service.ask("GET", "/sessions")).some((s) => s.id === id));
});

paged("a run shows its curves, and the numbers are right", async (page) => {
  await openExample(page, service, "water-tank");
  assert.match(await runToEnd(page), /^run 1: completed: 1000 steps to t=100 s, in /);
  await eventually(async () => (await readouts(page))["tank.volumeIn"], "45"); // 0.45 m3/s for 100 s
  for (let i = 0; i < 3; i += 1) await eventually(async () => await ink(page, i) > 300 || `plot ${i} has no curve`, true);
  const box = await page.locator(".chart").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2); // the cursor tells the value there
  await page.locator(".at", { hasText: /t = .* s/ }).first().waitFor();
  const t = Number(/t = (.*) s/.exec(await page.locator(".at").first().textContent())[1]);
  const volume = Number(await page.locator(".plot").nth(1).locator(".readout b").first().textContent());
  assert.ok(Math.abs(volume - 0.45 * t) < 0.01, `${volume} at ${t}`);
});

paged("a live run is watched, paused, resumed and stopped", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const scenario = await service.ask("GET", `/sessions/${id}/scenario`);
  await service.ask("PUT", `/sessions/${id}/scenario`, { ...scenario, realTime: { factor: 2 } }); // 50 s: time to press buttons
  await page.reload();
  await page.waitForSelector(".block");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForFunction(() => Number(document.querySelector(".progress")?.getAttribute("aria-valuenow")) >= 20);
  await eventually(async () => await ink(page) > 50 || "no curve grows while it runs", true);
  await block(page, "{x2}.tank").locator(".block-head").click();
  await picture(page, "page-live");
  const late = await heldAnswer(page); // of the running run
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  const paused = await page.textContent(".progress span");
  assert.match(paused, /^paused at [\d.]+ s$/);
  await late.release();
  await page.waitForTimeout(300);
  assert.equal(await page.textContent(".progress span"), paused);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.waitForFunction((old) => { const s = document.querySelector(".progress span"); return s && !s.textContent.startsWith("paused") && parseFloat(s.textContent) > old; }, parseFloat(/[\d.]+/.exec(paused)[0]));
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  assert.equal((await service.ask("GET", `/sessions/${id}/runs/1`)).state, "stopped");
  assert.match(await page.textContent(".outcome"), /^run 1: /);
});

paged("stepwise: one step at a time, then on to the end", async (page) => {
  const id = await openExample(page, service, "cruise-control");
  await page.getByRole("button", { name: "Stepwise" }).click();
  await page.getByRole("button", { name: "Step", exact: true }).waitFor();
  const time = async () => (await service.ask("GET", `/sessions/${id}/runs/1`)).time;
  const t0 = await time() ?? 0;
  await page.getByRole("button", { name: "Step", exact: true }).click();
  const scenario = await service.ask("GET", `/sessions/${id}/scenario`);
  const h = scenario.algorithm.size;
  await eventually(async () => Math.round((await time() - t0) / h), 1);
  await page.getByLabel("steps at a time").fill("5");
  await page.getByLabel("steps at a time").press("Enter");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await eventually(async () => Math.round((await time() - t0) / h), 6);
  const late = await heldAnswer(page);
  await page.getByRole("button", { name: "Run on" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await late.release();
  await page.waitForTimeout(200);
  assert.match(await page.textContent(".outcome"), /completed/);
  assert.equal(await page.getByRole("button", { name: "Run", exact: true }).count(), 1);
});

paged("stepwise: an input that is set takes part in the next step", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await page.locator('[data-wire="{x1}.controller.valve {x2}.tank.valve"]').focus();
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "Stepwise" }).click();
  const choice = page.getByLabel("input to set before the next step");
  await eventually(() => choice.locator("option").allTextContents(), ["set an input…", "tank.valve"]); // not those that are fed
  await choice.selectOption("{x2}.tank.valve");
  const value = page.getByLabel(/^value of tank\.valve, Boolean/);
  await value.fill("maybe");
  await value.press("Enter");
  await page.getByText("enter true or false").waitFor();
  await value.fill("true");
  await value.press("Enter");
  await page.getByLabel("steps at a time").fill("10");
  await page.getByLabel("steps at a time").press("Enter");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  const out = async () => (await service.ask("GET", `/sessions/${id}/runs/1/results?variables={x2}.tank.volumeOut`)).values[0].at(-1);
  await eventually(async () => (await out()) > 0.2, true); // 0.25 m2/s, 1 m, 1 s
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
});

paged("a plot is zoomed by drag and by keys, and all follow", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  const canvas = page.locator(".plot").first().locator(".u-over");
  const box = await canvas.boundingBox();
  const at = async (share) => {
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
    return Number(/t = (.*) s/.exec(await page.locator(".at").first().textContent())?.[1]);
  };
  await eventually(async () => Math.abs(await at(0.5) - 50) < 0.5, true);
  await page.mouse.move(box.x + box.width * 0.2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Whole time" }).waitFor();
  await eventually(async () => Math.abs(await at(0.5) - 30) < 0.5, true);
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await eventually(() => page.getByRole("button", { name: "Whole time" }).count(), 0);
  await page.locator(".chart").nth(1).focus();
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "Whole time" }).waitFor();
  await page.keyboard.press("0");
  await eventually(() => page.getByRole("button", { name: "Whole time" }).count(), 0);
});

paged("connections are cut and made by drag; unknown fields stay; undo works", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const stored = () => service.ask("GET", `/sessions/${id}/scenario`);
  const original = { ...await stored(), "x-notes": { mine: true } };
  await service.ask("PUT", `/sessions/${id}/scenario`, original);
  await page.reload();
  await page.waitForSelector(".wire");
  const level = port(page, "in", "{x1}.controller.level");
  const home = await page.locator("#diagram").boundingBox();
  await dragTo(page, level, { x: home.x + 40, y: home.y + 30 }); // off
  await eventually(async () => (await stored()).connections, { "{x1}.controller.valve": ["{x2}.tank.valve"] });
  assert.deepEqual((await stored())["x-notes"], { mine: true });
  await eventually(() => page.locator(".wire").count(), 1);
  await dragTo(page, port(page, "out", "{x2}.tank.level").locator(".dot"), level.locator(".dot"));
  await eventually(async () => (await stored()).connections["{x2}.tank.level"], ["{x1}.controller.level"]);
  await page.getByRole("button", { name: "undo" }).click();
  await page.getByRole("button", { name: "undo" }).click();
  await eventually(stored, original);
  await page.keyboard.press("Control+Shift+z");
  await eventually(async () => Object.keys((await stored()).connections), ["{x1}.controller.valve"]);
  await page.keyboard.press("Control+z");
  await eventually(stored, original);
  // a wire that is selected goes with Delete
  await page.locator('[data-wire="{x1}.controller.valve {x2}.tank.valve"]').focus();
  await page.keyboard.press("Delete");
  await eventually(async () => Object.keys((await stored()).connections), ["{x2}.tank.level"]);
});

paged("by keyboard only: from the address bar to a connection and a run", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const stored = () => service.ask("GET", `/sessions/${id}/scenario`);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
  const tabTo = async (what) => {
    for (let i = 0; i < 80; i += 1) {
      await page.keyboard.press("Tab");
      if (what.test(await focused())) return;
    }
    assert.fail(`Tab does not lead to ${what}`);
  };
  await tabTo(/^Diagram$/); // the skip link
  await page.keyboard.press("Enter");
  await tabTo(/^connection from tank.level to controller.level/);
  await page.keyboard.press("Delete");
  await eventually(async () => Object.keys((await stored()).connections), ["{x1}.controller.valve"]);
  await tabTo(/^volumeIn, output/); // m3: not for the level in m
  await page.keyboard.press("Enter");
  assert.match(await page.textContent(".announcement"), /^Connecting tank.volumeIn\. 1 port can take it/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowUp");
  assert.match(await focused(), /^level, output/);
  await page.keyboard.press("Enter");
  assert.match(await page.textContent(".announcement"), /^Connecting tank.level\. 2 ports can take it/);
  const visible = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(visible, "solid", "the focus can be seen");
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(), /^valve, input, Boolean/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(), /^level, input, Real, m/);
  await page.keyboard.press("Enter");
  await eventually(async () => (await stored()).connections["{x2}.tank.level"], ["{x1}.controller.level"]);
  await page.keyboard.press("Enter"); // begun and left again
  await page.keyboard.press("Escape");
  await eventually(() => page.locator(".diagram.linking").count(), 0);
  await page.keyboard.press("Delete"); // at the input
  await eventually(async () => Object.keys((await stored()).connections), ["{x1}.controller.valve"]);
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => /completed/.test(document.querySelector(".outcome").textContent));
});

paged("what the check finds is told at the block and the port", async (page) => {
  const id = await openExample(page, service, "power-window");
  await page.getByRole("button", { name: "JSON" }).click();
  const text = await page.inputValue("textarea");
  await page.fill("textarea", text.replace('"{window}.window.speed"', '"{window}.window.sped"'));
  await page.getByRole("button", { name: "Apply" }).click();
  const window = block(page, "{window}.window");
  const callout = page.locator('.callout[data-of="{window}.window"]');
  await callout.waitFor();
  assert.match(await callout.textContent(), /instance 'window' has no variable 'sped', did you mean 'speed'\?/);
  assert.match(await port(page, "in", "{window}.window.sped").getAttribute("class"), /is-error/);
  assert.equal(await page.locator(".block.is-error").count(), 1);
  await page.getByRole("button", { name: "1 problem" }).click();
  assert.match(await page.locator(".problems li").textContent(), /'sped'.*line \d+, column \d+/);
  await page.getByRole("button", { name: "close", exact: true }).click();
  await page.getByRole("radio", { name: "Diagram" }).click();
  await page.waitForTimeout(200);
  await picture(page, "page-error");
  await page.keyboard.press("Control+z");
  await eventually(() => page.locator(".block.is-error").count(), 0);
  assert.deepEqual((await service.ask("GET", `/sessions/${id}/scenario`)).connections["{power}.power.speed"], ["{window}.window.speed"]);
});

paged("a scenario of any shape is shown as far as it goes, and its problems", async (page) => {
  page.expected.push(/status of 400/); // what the units are cannot be said then
  await openExample(page, service, "water-tank");
  for (const odd of [{ fmus: 5, connections: [1], parameters: "p", logVariables: { "{x}.y": 3 }, algorithm: "fast" },
    { fmus: { "{x}": null, "": {} }, connections: { a: [{}], "{x}.y.z": "{x}.q.w", "{x}.y.": [null] }, instances: { "{x}": 7 }, approximation: null, realTime: [], iterate: {} }]) {
    await page.getByRole("button", { name: "JSON" }).click();
    await page.fill("textarea", JSON.stringify(odd));
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: /^\d+ problem/ }).waitFor();
    for (const tab of ["Settings", "Runs", "Instance"]) await page.getByRole("tab", { name: tab }).click();
    assert.equal(await page.locator(".stumbled").count(), 0, JSON.stringify(odd));
    await page.getByRole("button", { name: "undo" }).click();
    await page.getByRole("button", { name: "no problems" }).waitFor();
    await page.getByRole("button", { name: "JSON" }).click();
  }
});

paged("an edit that is taken back while it is being saved is not what stays", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const stored = () => service.ask("GET", `/sessions/${id}/scenario`);
  const first = await stored();
  let puts = 0;
  await page.route("**/scenario", async (route) => {
    if (route.request().method() === "PUT" && puts++ === 0) await new Promise((done) => setTimeout(done, 1500));
    await route.continue();
  });
  await page.getByRole("button", { name: "JSON" }).click();
  await page.fill("textarea", JSON.stringify({ ...first, endTime: first.endTime + 1 }));
  const put = page.waitForRequest((r) => r.method() === "PUT");
  await page.getByRole("button", { name: "Apply" }).click();
  await put;
  await page.getByRole("button", { name: "undo" }).click();
  await eventually(() => puts, 2);
  await eventually(async () => (await stored()).endTime, first.endTime);
});

paged("files make a session; a unit that crashes is named and marked", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  const scenario = { fmus: { "{m}": "models/misbehave.fmu" }, connections: {}, logVariables: { "{m}.one": ["y"] },
    parameters: { "{m}.one.what": 6, "{m}.one.when": 0.5 }, algorithm: { type: "fixed-step", size: 0.1 }, endTime: 2 };
  await page.setInputFiles("input[type=file]", [{ name: "bad day.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(scenario)) },
    { name: "misbehave.fmu", mimeType: "application/zip", buffer: fs.readFileSync(MISBEHAVE) }]);
  await page.waitForSelector(".block");
  assert.equal(await page.textContent(".topbar h1"), "bad day");
  const words = await runToEnd(page);
  assert.match(words, /instance 'one'.* crashed in step \(SIGSEGV\) at t=0\.4/);
  const callout = page.locator('.callout[data-of="{m}.one"]');
  await callout.waitFor();
  assert.match(await block(page, "{m}.one").getAttribute("class"), /is-error/);
  assert.match(await callout.textContent(), /SIGSEGV/);
});

paged("FMUs alone become units with the step and end they suggest", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  await page.setInputFiles("input[type=file]", ["watertank.fmu", "watertankcontroller.fmu"].map((f) => path.join(TANK, f)));
  await page.waitForSelector(".block");
  await eventually(() => page.locator(".block").count(), 2);
  await dragTo(page, port(page, "out", "{watertank}.watertank.level").locator(".dot"), port(page, "in", "{watertankcontroller}.watertankcontroller.level").locator(".dot"));
  await eventually(() => page.locator(".wire").count(), 1);
  assert.match(await runToEnd(page), /completed: 1000 steps to t=100 s/);
});

paged("ports of types that do not fit cannot be joined; any name can be plotted", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  await page.setInputFiles("input[type=file]", [ALLTYPES]);
  await page.getByRole("button", { name: /more ports/ }).click();
  const unit = "{alltypes}.alltypes";
  await page.getByRole("button", { name: "Show all (0)" }).click();
  await port(page, "out", `${unit}.text_out`).focus();
  await page.keyboard.press("Enter");
  assert.match(await page.textContent(".announcement"), /1 port can take it/);
  assert.match(await port(page, "in", `${unit}.f64_in`).getAttribute("class"), /dim/);
  await port(page, "in", `${unit}.f64_in`).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".wire").count(), 0);
  assert.match(await runToEnd(page), /completed/);
  await page.getByRole("button", { name: "choose variables" }).first().click();
  await page.keyboard.type("matrix_out[2,3]");
  await page.getByRole("checkbox", { name: /matrix_out\[2,3\]/ }).check();
  await page.keyboard.press("Escape");
  await eventually(async () => /^\d/.test((await readouts(page))["alltypes.matrix_out[2,3]"] ?? ""), true);
});

paged("a file that is no scenario is refused with a sentence", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  await page.setInputFiles("input[type=file]", [{ name: "x.json", mimeType: "application/json", buffer: Buffer.from("[1, 2") }]);
  await page.waitForSelector(".toast.error");
  assert.match(await page.textContent(".toast.error"), /^x\.json: /);
  await page.setInputFiles("input[type=file]", [{ name: "x.txt", mimeType: "text/plain", buffer: Buffer.from("hello") }]);
  await page.getByText("choose FMUs, tables (.csv), a scenario (.json) or a system structure (.ssp)").waitFor();
});

paged("two runs are laid over each other, with their differences", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await runToEnd(page);
  await block(page, "{x2}.tank").locator(".block-head").click();
  await page.getByLabel("inflow", { exact: true }).fill("0.9");
  await page.getByLabel("inflow", { exact: true }).press("Enter");
  await eventually(async () => (await service.ask("GET", `/sessions/${id}/scenario`)).parameters["{x2}.tank.inflow"], 0.9);
  await runToEnd(page);
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.locator(".run").nth(1).getByRole("checkbox").check();
  const row = page.locator(".difference tr", { hasText: "tank.volumeIn" });
  await row.waitFor();
  assert.deepEqual(await row.locator("td").allTextContents(), ["45", "100 s", "25.99"]); // 0.45 t; rms 45 sqrt((1/3)(1 + 1/2n))
  await eventually(async () => { const v = await readouts(page); return [v["tank.volumeIn run 1"], v["tank.volumeIn run 2"]]; }, ["45", "90"]);
  await page.mouse.move(420, 430);
  await picture(page, "page-compare");
  await page.getByRole("tab", { name: "Instance" }).click();
  await page.getByRole("button", { name: "unset inflow" }).click();
  await eventually(async () => "{x2}.tank.inflow" in (await service.ask("GET", `/sessions/${id}/scenario`)).parameters, false);
});

paged("steps that vary have a plot of their own", async (page) => {
  await openExample(page, service, "water-tank", "scenario-variable.json");
  assert.match(await runToEnd(page), /completed: 331 steps/);
  await page.locator(".plot.steps").waitFor();
  await page.locator(".plot.steps .readout", { hasText: "331 attempts, 0 rejected" }).waitFor();
  await eventually(async () => await ink(page, 3) > 200, true);
});

/** The table of the list, row by row. */
const listed = (page) => page.$$eval(".event-list tbody tr", (all) => all.map((tr) => [...tr.cells].map((td) => td.textContent)));

paged("events are stems in a plot of their own and a list with a filter", async (page) => {
  await openExample(page, service, "traffic-light");
  assert.match(await runToEnd(page), /completed: \d steps to t=600 s/); // from event to event
  await page.waitForSelector('.plot.events .chart[data-events="6"]');
  await eventually(async () => await ink(page) > 50, true);
  assert.deepEqual(await page.$$eval(".plot.events .readout li:not(:first-child)", (all) => all.map((li) => li.textContent)), ["light.colour", "police.order"]);
  await page.getByRole("button", { name: "Events", exact: true }).click();
  assert.equal((await listed(page)).length, 6);
  const filter = page.getByRole("searchbox", { name: "filter events" });
  await filter.fill("police towork");
  assert.deepEqual(await listed(page), [["100", "1", "police", "order", "toWork"], ["400", "1", "police", "order", "toWork"]]);
  assert.equal(await page.textContent(".event-list [role=status]"), "2 of 6 events");
  await filter.fill("purple");
  await page.getByText("No event has these words.").waitFor();
  await filter.fill("");
  const before = await page.locator(".plot.events canvas").evaluate((c) => c.toDataURL());
  await page.getByRole("button", { name: "360" }).click(); // it stands out in the plots
  assert.equal(await page.locator(".event-list tr.pointed").count(), 1);
  await eventually(async () => await page.locator(".plot.events canvas").evaluate((c) => c.toDataURL()) !== before, true);
  const box = await page.locator(".plot.events .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.55, box.y + 10); // the last event of each before 330 s
  await eventually(() => page.$$eval(".plot.events .readout b", (all) => all.map((b) => b.textContent)), ["Events", "green", "toIdle"]);
});

paged("events are marks in the plots of numbers", async (page) => {
  page.expected.push(/willReadFrequently/);
  await openExample(page, service, "alternating-bit");
  const grey = () => page.locator(".plot:not(.events) canvas").last().evaluate((c) => {
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 128 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) < 20) n += 1;
    return n;
  });
  await runToEnd(page);
  await page.waitForSelector('.plot.events .chart[data-events="829"]');
  await eventually(async () => await grey() > 0, true);
  const all = await grey(); // 829 are too many to be drawn
  await page.locator(".plot .chart").first().focus();
  for (let i = 0; i < 5; i += 1) await page.keyboard.press("+");
  await eventually(async () => await grey() > all + 100, true);
  await page.getByRole("button", { name: "Events", exact: true }).click();
  // instances of one name have their key: blocks, keys of plots, the list
  assert.deepEqual(await page.$$eval(".block .title", (all) => all.map((t) => t.textContent).sort()),
    ["line", "lower", "receiver", "sender", "upper", "{channel}.back", "{channel}.there", "{noise}.back", "{noise}.there"]);
  assert.deepEqual((await page.$$eval(".plot.events .readout li span", (all) => all.map((t) => t.textContent))).slice(1, 8),
    ["upper.level", "line.out", "sender.value", "sender.mark", "{noise}.there.out", "{noise}.back.out", "{channel}.there.outvalue"]);
  assert.ok((await page.$$eval(".plot:not(.events) .readout li button span", (all) => all.map((t) => t.textContent))).includes("{channel}.there.outvalue"));
  assert.deepEqual((await listed(page)).slice(2, 5).map((row) => row[2]), ["sender", "sender", "{noise}.there"]);
  await page.mouse.move(5, 5);
  await picture(page, "page-events");
}, { viewport: { width: 1280, height: 960 } });

paged("events come with the stream", async (page) => {
  const id = await openExample(page, service, "traffic-light");
  await page.getByRole("button", { name: "Stepwise" }).click();
  await eventually(async () => (await service.ask("GET", `/sessions/${id}/runs/1`)).state, "paused");
  await service.ask("POST", `/sessions/${id}/runs/1/step`, { to: 90 }); // the step ends at 100
  await page.waitForSelector('.plot.events .chart[data-events="2"]');
  await service.ask("POST", `/sessions/${id}/runs/1/step`, { to: 150 });
  await page.waitForSelector('.plot.events .chart[data-events="3"]');
});

paged("a narrow screen has all of it, one below the other", async (page) => {
  await openExample(page, service, "traffic-light");
  const wide = () => page.evaluate(() => [...document.querySelectorAll(".session, .topbar, .work, .side-panel, .status, .plots")].filter((e) => e.scrollWidth > 420 || e.getBoundingClientRect().right > 420.5).map((e) => e.className));
  assert.deepEqual(await wide(), []);
  await runToEnd(page);
  await page.waitForSelector('.plot.events .chart[data-events="6"]');
  await page.getByRole("button", { name: "Events", exact: true }).click();
  await page.getByRole("searchbox", { name: "filter events" }).fill("green");
  assert.equal((await listed(page)).length, 2);
  assert.deepEqual(await wide(), []);
  const box = await page.locator(".plot.events .chart").boundingBox();
  assert.ok(box.width > 360);
  await page.getByRole("tab", { name: "Settings" }).click();
}, { viewport: { width: 420, height: 860 } });

paged("a window that becomes narrow still has all blocks, and names of parameters whole", async (page) => {
  await openExample(page, service, "water-tank");
  await block(page, "{x1}.controller").locator(".block-head").click(); // chosen, not moved
  for (const width of [1280, 1024, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const room = async () => { const b = await page.locator("#diagram").boundingBox(); return (await page.$$eval(".block", (all) => all.map((x) => x.getBoundingClientRect().toJSON()))).every((x) => x.left >= b.x && x.right <= b.x + b.width); };
    await eventually(room, true);
    assert.deepEqual(await page.$$eval(".param label", (all) => all.filter((l) => l.scrollWidth > l.clientWidth + 1).map((l) => l.textContent)), [], `at ${width}`);
  }
});

paged("settings: words for what happens, and defaults without asking", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const stored = () => service.ask("GET", `/sessions/${id}/scenario`);
  const original = await stored();
  await page.getByRole("tab", { name: "Settings" }).click();
  assert.equal(await page.textContent(".panel .lead"), "From 0 s to 100 s in steps of 0.1 s, instances all at once, inputs held within a step.");
  await page.getByLabel("Instances step").selectOption("gauss-seidel");
  await eventually(async () => (await stored()).master, "gauss-seidel");
  await page.getByLabel("To", { exact: true }).fill("-");
  await page.getByLabel("To", { exact: true }).press("Enter");
  await page.getByText("enter a number").waitFor();
  await page.getByLabel("To", { exact: true }).fill("20");
  await page.getByLabel("To", { exact: true }).press("Enter");
  await eventually(async () => (await stored()).endTime, 20);
  assert.match(await page.textContent(".panel .lead"), /^From 0 s to 20 s .* one after the other/);
  await page.getByRole("button", { name: "Back to defaults" }).click();
  await eventually(stored, { ...original, endTime: 20 });
});

paged("variables are chosen by search; what is not recorded is from now on", async (page) => {
  const id = await openExample(page, service, "cruise-control");
  await runToEnd(page);
  await page.getByRole("button", { name: "Plot", exact: true }).click();
  await page.getByRole("button", { name: "choose variables" }).last().click();
  const [first] = await page.$$eval(".chooser li", (all) => all.filter((li) => /not recorded/.test(li.textContent)).map((li) => li.dataset.ref.replace(/^{.*}\./, "")));
  await page.keyboard.type(first);
  await page.getByRole("checkbox", { name: new RegExp(`^${first.replace(".", "\\.")}`) }).first().check();
  const [unit, name] = first.split(".");
  await eventually(async () => Object.entries((await service.ask("GET", `/sessions/${id}/scenario`)).logVariables ?? {}).some(([u, names]) => u.endsWith(`.${unit}`) && names.includes(name)), true);
  await page.keyboard.press("Escape");
  await runToEnd(page);
  await eventually(async () => /\d/.test((await readouts(page))[first] ?? ""), true);
});

paged("a reload keeps the session: places, plots, runs", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  const head = block(page, "{x2}.tank").locator(".block-head");
  const at = () => block(page, "{x2}.tank").evaluate((b) => b.style.transform);
  const before = await at();
  const box = await head.boundingBox();
  await dragTo(page, head, { x: box.x + 30, y: box.y + 60 });
  const moved = await at();
  assert.notEqual(moved, before);
  await page.getByRole("button", { name: "remove this plot" }).last().click();
  await eventually(() => page.locator(".plot").count(), 2);
  await page.reload();
  await page.waitForSelector(".plot");
  await eventually(at, moved);
  await eventually(() => page.locator(".plot").count(), 2);
  await eventually(async () => (await readouts(page))["tank.volumeIn"], "45");
  assert.match(await page.textContent(".outcome"), /completed: 1000 steps/);
});

paged("a run begun while the list of runs is under way is the one shown", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  let answer;
  const held = new Promise((ok) => { answer = ok; });
  await page.route("**/runs", async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const old = await route.fetch(); // without the second
    await held;
    return route.fulfill({ response: old });
  });
  await page.reload();
  await page.waitForSelector(".block");
  assert.match(await runToEnd(page), /^run 2: completed/);
  answer();
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByRole("checkbox", { name: "show run 1" }).waitFor();
  assert.equal(await page.getByRole("checkbox", { name: "show run 1" }).isChecked(), false);
  assert.equal(await page.getByRole("checkbox", { name: "show run 2" }).isChecked(), true);
});

paged("light and dark: as the system says, or as one likes", async (page) => {
  const light = () => page.evaluate(() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number); return r + g + b > 384; });
  await page.emulateMedia({ colorScheme: "dark" });
  await openExample(page, service, "water-tank");
  await eventually(light, false);
  await runToEnd(page);
  await page.waitForTimeout(200);
  await picture(page, "page-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await eventually(light, true);
  await page.getByRole("button", { name: /colours of the system/ }).click();
  await page.getByRole("button", { name: /^light colours/ }).click();
  await eventually(light, false);
  await page.reload();
  await page.waitForSelector(".block");
  await eventually(light, false);
});

paged("every control has a name, every field a label", async (page) => {
  await openExample(page, service, "power-window");
  await runToEnd(page);
  for (const tab of ["Instance", "Settings", "Runs", "Analysis"]) {
    await page.getByRole("tab", { name: tab }).click();
    if (tab === "Instance") await block(page, "{power}.power").locator(".block-head").click();
    const nameless = await page.$$eval("button, input, select, textarea, [role=button]", (all) => all
      .filter((e) => e.offsetParent !== null && !(e.getAttribute("aria-label") || e.textContent.trim() && e.tagName === "BUTTON" || e.labels?.length)).map((e) => e.outerHTML));
    assert.deepEqual(nameless, [], tab);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight);
  assert.ok(wide, "nothing is cut off at 1280 x 720");
});

paged("files can be downloaded", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  const save = async (item) => {
    await page.getByRole("button", { name: "Download" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: item }).click()]);
    return [download.suggestedFilename(), fs.readFileSync(await download.path(), "utf8")];
  };
  const [csvName, csv] = await save(/results \(CSV\)/);
  assert.equal(csvName, "run 1.csv");
  assert.equal(csv.trim().split("\n").length, 1002);
  assert.match((await save(/report/))[1], /<html/i);
  assert.equal(JSON.parse((await save("scenario (JSON)"))[1]).endTime, 100);
});

test("a service that went away is told, and found again", async () => {
  const own = await new Service().start();
  const page = await browser.page(own);
  page.expected.push(/ERR_CONNECTION|Failed to load resource|WebSocket connection/);
  try {
    await openExample(page, own, "water-tank");
    await runToEnd(page);
    await own.stop();
    await page.getByRole("alert").filter({ hasText: "The service does not answer" }).waitFor();
    await own.start(); // same folder, same port
    await page.waitForFunction(() => !document.querySelector(".gone"));
    assert.match(await page.textContent(".outcome"), /completed: 1000 steps/);
    assert.match(await runToEnd(page), /^run 2: completed/);
    calm(page);
  } finally {
    await page.close();
    await own.end();
  }
});

test("with a token: asked for it, everything works, downloads too", async () => {
  const own = await new Service(["--token", "sesame-42"]).start();
  const page = await browser.page(own);
  page.expected.push(/401/);
  try {
    await page.goto(own.url);
    const field = page.getByRole("textbox", { name: "token" });
    await field.fill("guess");
    await field.press("Enter");
    await page.getByText("The service does not take this one").waitFor();
    await field.fill("sesame-42");
    await field.press("Enter");
    await page.getByRole("button", { name: /^Water tank/ }).first().click();
    await page.waitForSelector(".block");
    assert.match(await runToEnd(page), /completed/);
    await page.getByRole("button", { name: "Download" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /results \(CSV\)/ }).click()]);
    assert.match(fs.readFileSync(await download.path(), "utf8"), /^time,/);
    calm(page);
  } finally {
    await page.close();
    await own.end();
  }
});
