// SPDX-License-Identifier: MIT
// Studies, adaptations, the editor of JSON, offers to connect, files to download: in Chromium
// before a live service. PICTURES names a folder for pictures of the documentation.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { barriers, block, calm, eventually, openBrowser, openExample, runToEnd, Service, TANK } from "./rig.mjs";

const { PICTURES } = process.env;
const MASSES = "double-mass-spring-damper";
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

function paged(name, body, options) {
  test(name, async () => {
    const page = await browser.page(service, options);
    await body(page);
    calm(page);
    await page.close();
  });
}

async function openStudy(page, kind) {
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByRole("radio", { name: kind }).click();
}

/** Presses what starts a study. The page is not told how far it is until its progress was seen, however short it is. */
async function startStudy(page, name) {
  const looks = /\/runs\/\d+$/;
  let seen;
  const shown = new Promise((ok) => { seen = ok; });
  await page.route(looks, async (route) => { await shown; await route.continue(); });
  await page.getByRole("button", { name, exact: true }).click();
  await page.locator(".study-progress progress").waitFor();
  seen();
  await page.unroute(looks);
}

const stored = (id) => service.ask("GET", `/sessions/${id}/scenario`);

/** The file that pressing an entry of a menu brings. */
async function saved(page, menu, entry) {
  await page.getByRole("button", { name: menu }).first().click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: entry }).click()]);
  return { name: file.suggestedFilename(), bytes: fs.readFileSync(await file.path()) };
}

paged("what is unstable is reported, with the connection that makes it so", async (page) => {
  const id = await openExample(page, service, MASSES);
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("Every", { exact: true }).fill("1.2");
  await page.getByLabel("Every", { exact: true }).press("Enter");
  await openStudy(page, "Stability");
  assert.equal(await page.locator(".wire.guilty").count(), 0);
  await page.getByRole("button", { name: "Find out" }).click();
  await page.locator(".verdict").getByText("unstable").waitFor();
  assert.equal(await page.locator(".wire.guilty").getAttribute("data-wire"), "{msd2}.msd2.F {msd1}.msd1.F");
  assert.match(await page.locator(".carriers button").first().textContent(), /msd2\.F → msd1\.F/);
  await page.locator(".carriers button").first().click();
  await page.locator(".wire.guilty.selected").waitFor();
  assert.match(await page.locator(".study-picture").getAttribute("aria-label"), /growth in a step over its length/);
  await page.getByRole("tab", { name: "Analysis" }).click();
  await picture(page, "page-stability");
  await page.getByRole("button", { name: /^use 0\.82/ }).click();
  await eventually(async () => (await stored(id)).algorithm.size, 0.82);
  await page.getByText("The scenario has changed since.").waitFor();
  await page.getByRole("button", { name: "Find out again" }).click();
  await page.locator(".verdict .pill.is-ok").waitFor();
  assert.equal(await page.locator(".wire.guilty").count(), 0);
  await page.getByRole("button", { name: /^apply master gauss-seidel approximation hold$/ }).click();
  await eventually(async () => (await stored(id)).master, "gauss-seidel");
  await page.reload(); // what was found is still there
  await page.waitForSelector(".block");
  await openStudy(page, "Stability");
  await page.locator(".verdict .pill.is-ok").waitFor();
});

paged("settings are found, shown as error against cost, and applied", async (page) => {
  const id = await openExample(page, service, MASSES);
  await openStudy(page, "Find settings");
  await page.getByLabel("Tolerance").fill("0");
  await page.getByLabel("Tolerance").press("Enter");
  await page.getByText("enter a number above 0").waitFor();
  await page.getByLabel("Tolerance").fill("0.01");
  await page.getByLabel("Tolerance").press("Enter");
  await startStudy(page, "Find settings");
  await page.getByText("confirmed by half the step and by another master.").waitFor();
  assert.match(await page.locator(".study-picture").getAttribute("aria-label"), /error against cost of \d+ variants/);
  assert.ok(await page.locator(".study-picture circle").count() > 5);
  const best = (await service.ask("GET", `/sessions/${id}/runs/1/summary`)).best;
  await picture(page, "page-settings");
  await page.getByRole("button", { name: "apply the best" }).click();
  await eventually(async () => { const s = await stored(id); return [s.master, s.approximation, s.algorithm.type]; },
    [best.settings.master, best.settings.approximation, best.settings.algorithm.type]);
  await page.getByText(/^All \d+ that were tried$/).click();
  assert.ok(await page.locator("details[open] .study-table tbody tr").count() > 5);
  assert.match(await runToEnd(page), /completed/);
  await page.getByRole("button", { name: "undo" }).click();
  await eventually(async () => (await stored(id)).algorithm.size, 0.2);
});

paged("hints narrow what is found, and one that contradicts the model is named", async (page) => {
  const id = await openExample(page, service, MASSES);
  await openStudy(page, "Find settings");
  await page.getByLabel("Tolerance").fill("0.05");
  await page.getByLabel("Tolerance").press("Enter");
  const hints = page.getByRole("region", { name: "hints" });
  const add = async (family, text) => {
    await hints.getByLabel("hint", { exact: true }).selectOption(family);
    await hints.getByLabel("condition").fill(text);
    await hints.getByRole("button", { name: "Add" }).click();
  };
  const find = async () => {
    await startStudy(page, "Find settings");
    await page.locator(".study-picture").waitFor();
  };
  assert.ok(await hints.getByRole("button", { name: "Add" }).isDisabled());
  await add("eventually", "{msd1}.msd1.x1 < -0.333");
  await eventually(async () => (await stored(id)).hints, [{ eventually: "{msd1}.msd1.x1 < -0.333" }]);
  await find();
  const summary = (run) => service.ask("GET", `/sessions/${id}/runs/${run}/summary`);
  assert.equal((await summary(1)).best.variant, "Gauss-Seidel twice, linear"); // without it a cheaper one is
  assert.equal(await page.locator(".warned", { hasText: "contradicts" }).count(), 0);
  await add("always", "{msd1}.msd1.x1 > 0");
  await hints.getByText("always {msd1}.msd1.x1 > 0").waitFor();
  await eventually(async () => (await stored(id)).hints.length, 2);
  await find();
  await page.locator(".warned", { hasText: "contradicts the model" }).waitFor();
  await hints.getByRole("button", { name: "remove hint 2" }).click();
  await eventually(async () => (await stored(id)).hints.length, 1);
  await add("never", "{msd1}.msd1.x9 > 0"); // there is no such variable
  await eventually(() => page.getByRole("button", { name: "Find settings", exact: true }).isDisabled(), true);
});

paged("a sweep over two parameters becomes curves and a table", async (page) => {
  await openExample(page, service, MASSES);
  await openStudy(page, "Sweep");
  const run = page.getByRole("button", { name: "Run them" });
  assert.ok(await run.isDisabled());
  await page.getByLabel("parameter 1").selectOption("{msd1}.msd1.m1");
  await page.getByRole("button", { name: "Second parameter" }).click();
  await page.getByLabel("parameter 2").selectOption("{msd2}.msd2.m2");
  await page.getByLabel("points 2").fill("3");
  await run.click();
  await page.locator(".sweep-key li").nth(2).waitFor();
  assert.equal(await page.locator(".study-picture").getAttribute("data-points"), "27");
  await page.getByLabel("Show", { exact: true }).selectOption({ label: "msd2.x2, min" });
  await eventually(() => page.locator(".study-picture").getAttribute("aria-label"), "msd2.x2, min, over msd1.m1");
  await picture(page, "page-sweep");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Table (CSV)" }).click()]);
  assert.equal(fs.readFileSync(await file.path(), "utf8").trim().split("\n").length, 28);
});

paged("a long one can be stopped, by a button that stays where it is", async (page) => {
  const id = await openExample(page, service, MASSES);
  await service.ask("PUT", `/sessions/${id}/scenario`, { ...await stored(id), endTime: 1e5 }); // hours for all of the points
  await page.reload();
  await page.waitForSelector(".block");
  await openStudy(page, "Sweep");
  await page.getByLabel("parameter 1").selectOption("{msd1}.msd1.m1");
  await page.getByLabel("points 1").fill("10000");
  await startStudy(page, "Run them");
  const stop = page.getByRole("button", { name: "Stop" }), place = await stop.boundingBox();
  await page.getByText(/^\d+ of 10000 points/).waitFor();
  assert.deepEqual(await stop.boundingBox(), place);
  const words = "7 of 10000 points; a message that is longer than the panel is wide, and takes more lines than one";
  await page.route(/\/runs\/1$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...await answer.json(), message: words } });
  });
  await page.getByText(words).waitFor();
  assert.deepEqual(await stop.boundingBox(), place);
  await page.unroute(/\/runs\/1$/);
  await stop.click();
  await page.getByText(/^stopped: \d+ of 10000 points/).waitFor();
});

paged("adaptations are forms, and show their program", async (page) => {
  const id = await openExample(page, service, MASSES);
  await block(page, "{msd2}.msd2").locator(".block-head").click();
  const kind = page.getByLabel("add an adaptation");
  await kind.selectOption("frame");
  const add = page.getByRole("button", { name: "Add", exact: true });
  assert.ok(await add.isDisabled());
  await page.getByLabel("Variable", { exact: true }).selectOption("F");
  await page.getByLabel("Gain").fill("two");
  await page.getByText("Gain: enter a number").waitFor();
  await page.getByLabel("Gain").fill("0.5");
  await add.click();
  await kind.selectOption("multiply");
  await page.getByLabel("Times").fill("4");
  await add.click();
  await eventually(async () => (await stored(id)).adapt, { "{msd2}.msd2": ["frame F gain 0.5", "multiply rate 4"] });
  await page.getByRole("button", { name: "as a program" }).click();
  await page.locator(".program").getByText("// {msd2}.msd2: frame F gain 0.5").waitFor();
  assert.ok(!(await page.textContent(".program")).includes("/sessions/"), "no folder of the service");
  await page.locator(".adaptations").evaluate((e) => e.scrollIntoView());
  await picture(page, "page-adaptations");
  assert.match(await runToEnd(page), /completed/);
  for (const clause of ["frame F gain 0.5", "multiply rate 4"]) await page.getByRole("button", { name: `remove ${clause}` }).click();
  await eventually(async () => (await stored(id)).adapt, undefined);
});

paged("the editor of JSON has numbers and colours, and marks lines", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const area = page.getByLabel("scenario as JSON");
  const lines = (await area.inputValue()).split("\n").length;
  assert.equal(await page.locator(".numbers div").count(), lines);
  assert.ok(await page.locator(".sheet .j-key").count() > 5 && await page.locator(".sheet .j-num").count() > 0);
  assert.equal(await page.locator(".sheet pre").textContent(), `${await area.inputValue()}\n`);
  await area.fill(`${"\n".repeat(40)}{"fmus": {}, "<b>": true}`);
  await area.evaluate((a) => { a.scrollTop = 300; });
  await eventually(() => page.locator(".sheet pre").evaluate((p) => p.scrollTop), 300);
  assert.equal(await page.locator(".sheet b").count(), 0);
  await page.getByRole("button", { name: "As it was" }).click();
  await area.fill((await area.inputValue()).replace("{x2}.tank.level", "{x2}.tank.levl"));
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator(".numbers .is-error").first().waitFor();
  const call = page.locator('.callout[data-of="{x2}.tank"]'), whole = await page.locator("#diagram").boundingBox();
  await call.waitFor();
  const box = await call.boundingBox(); // in a low diagram, whole
  assert.ok(box.y >= whole.y && box.y + box.height <= whole.y + whole.height && box.x + box.width <= whole.x + whole.width, JSON.stringify([box, whole]));
  assert.ok(await call.evaluate((e) => e.scrollHeight <= e.clientHeight + 1));
  await page.locator(".numbers .is-error").first().evaluate((e) => e.scrollIntoView({ block: "center" }));
  await area.evaluate((a) => { a.scrollTop = 100; });
  await picture(page, "page-json");
  assert.ok(id);
});

paged("FMUs that come get an offer to be connected", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  await page.locator("input[type=file]").first().setInputFiles(["watertank.fmu", "watertankcontroller.fmu"].map((f) => path.join(TANK, f)));
  await page.getByText("2 connections fit").waitFor();
  await picture(page, "page-offer");
  await page.keyboard.press("Enter"); // the focus is on Connect
  await page.locator(".offer").waitFor({ state: "detached" });
  const id = /session\/([\w-]+)/.exec(page.url())[1];
  await eventually(async () => (await stored(id)).connections, { "{watertankcontroller}.watertankcontroller.valve": ["{watertank}.watertank.valve"], "{watertank}.watertank.level": ["{watertankcontroller}.watertankcontroller.level"] });
  await page.getByLabel("files to add").setInputFiles(path.join(TANK, "watertankcontroller.fmu")); // a second controller
  await page.getByText("A connection fits").waitFor();
  await page.getByRole("button", { name: "Not now" }).click();
  assert.equal(Object.keys((await stored(id)).connections).length, 2);
});

paged("results as CSV, MAT and HDF5, all of it as an FMU, a report that acts", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await runToEnd(page);
  const begins = async (entry, bytes, end) => {
    const file = await saved(page, "Download", entry);
    assert.ok(file.name.endsWith(end), file.name);
    assert.deepEqual([...file.bytes.subarray(0, bytes.length)], [...Buffer.from(bytes, "latin1")]);
  };
  await begins(/results \(CSV\)/, "time,", ".csv");
  await begins(/results \(MAT\)/, "3\0\0\0", ".mat");
  await begins(/results \(HDF5\)/, "\x89HDF", ".h5");
  await begins(/as one FMU/, "PK", ".fmu");
  const report = await browser.page(service);
  await report.goto(`${service.url}/api/v1/sessions/${id}/runs/1/report.html`);
  assert.equal(await report.evaluate(() => document.querySelectorAll("svg").length > 0), true);
  calm(report); // its own script is allowed, and none was refused
  await report.close();
  await service.ask("PUT", `/sessions/${id}/scenario`, { ...await stored(id), parameters: { "{x2}.tank.depth": 1 } });
  await page.reload();
  await page.waitForSelector(".block");
  page.expected.push(/status of 4/);
  await page.getByRole("button", { name: "Download" }).first().click();
  await page.getByRole("menuitem", { name: /as one FMU/ }).click(); // what cannot be made is told
  await page.locator(".toast.error").getByText(/instance 'tank' has no variable 'depth'/).waitFor();
});

paged("axe finds no barrier in studies, forms and the editor", async (page) => {
  await openExample(page, service, MASSES);
  for (const colour of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: colour });
    for (const kind of ["Stability", "Find settings", "Sweep"]) {
      await openStudy(page, kind);
      if (kind === "Stability") { await page.getByRole("button", { name: /^Find out/ }).click(); await page.locator(".verdict").waitFor(); }
      assert.deepEqual(await barriers(page), [], `${kind}, ${colour}`);
    }
    await block(page, "{msd2}.msd2").locator(".block-head").click();
    await page.getByLabel("add an adaptation").selectOption("frame");
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    assert.deepEqual(await barriers(page), [], `forms and editor, ${colour}`);
    await page.getByRole("button", { name: "JSON", exact: true }).click();
  }
});

for (const [width, height] of [[1024, 640], [390, 844]])
  paged(`nothing is cut off at ${width} x ${height}`, async (page) => {
    await openExample(page, service, MASSES);
    await openStudy(page, "Stability");
    await page.getByRole("button", { name: "Find out" }).click();
    await page.locator(".verdict").waitFor();
    const out = await page.$$eval(".segments button, .topbar button:not(.named), .carriers button", (all) => all.filter((b) => { const r = b.getBoundingClientRect(); return r.right > innerWidth + 1 || r.left < -1 || b.scrollWidth > b.clientWidth + 1; }).map((b) => b.textContent));
    assert.deepEqual(out, []);
    const tools = await page.locator(".tools").boundingBox();
    for (const box of await page.$$eval(".block", (all) => all.map((b) => b.getBoundingClientRect().toJSON())))
      assert.ok(box.top >= tools.y + tools.height || box.right <= tools.x, `a block lies under the tools: ${JSON.stringify([box, tools])}`);
    await runToEnd(page);
    await page.waitForSelector(".plot .chart");
    await page.locator(".session").evaluate((e) => e.scrollTo(0, 0));
    await page.mouse.move(5, 300);
    await picture(page, width > 640 ? "page-small" : "page-phone");
  }, { viewport: { width, height } });
