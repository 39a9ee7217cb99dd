// SPDX-License-Identifier: MIT
// Work over days: names, notes, experiments; and the page as everyone can use it.
// PICTURES=FOLDER keeps screenshots of what is tested.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { barriers, block, calm, eventually, openBrowser, openExample, runToEnd, Service } from "./rig.mjs";

const { PICTURES } = process.env;
const DIST = path.join(import.meta.dirname, "..", "..", "web", "dist");
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

/** A field gets a text, and Enter. */
async function enter(field, text) {
  await field.fill(text);
  await field.press("Enter");
}

test("the page is small: at most 120 kB on the wire", () => {
  const bytes = fs.readdirSync(DIST).map((f) => zlib.gzipSync(fs.readFileSync(path.join(DIST, f)), { level: 9 }).length).reduce((a, b) => a + b);
  assert.ok(bytes <= 120 * 1024, `${bytes} bytes`);
});

paged("sessions and runs have names, runs notes and what differs; a restart keeps them", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await page.getByRole("button", { name: /rename the session$/ }).click();
  await enter(page.getByRole("textbox", { name: "name of the session" }), "Tank with a \"wide\" valve");
  await eventually(async () => (await service.ask("GET", `/sessions/${id}`)).name, "Tank with a \"wide\" valve");
  await eventually(() => page.title(), "Tank with a \"wide\" valve · Tutti");
  await page.getByRole("button", { name: /rename the session$/ }).click(); // and not
  await page.keyboard.type("lost");
  await page.keyboard.press("Escape");
  await eventually(() => page.textContent(".topbar h1"), "Tank with a \"wide\" valve");
  await runToEnd(page);
  await block(page, "{x2}.tank").locator(".block-head").click();
  await enter(page.getByLabel("inflow", { exact: true }), "0.9");
  await eventually(async () => (await service.ask("GET", `/sessions/${id}/scenario`)).parameters["{x2}.tank.inflow"], 0.9);
  await runToEnd(page);
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByRole("button", { name: "run 2, rename run 2" }).click();
  await enter(page.getByRole("textbox", { name: "name of run 2" }), "twice the inflow");
  await enter(page.getByRole("textbox", { name: "note on twice the inflow" }), "overflows at 12 s");
  await eventually(async () => { const r = await service.ask("GET", `/sessions/${id}/runs/2`); return [r.name, r.note]; }, ["twice the inflow", "overflows at 12 s"]);
  await eventually(() => page.$$eval(".varied", (all) => all.map((u) => u.textContent)), ["tank.inflow 0.9", "tank.inflow by default"]);
  for (const name of ["one valve", "two valves"]) {
    await enter(page.getByRole("textbox", { name: "name of the experiment" }), name);
    await page.getByRole("button", { name, exact: true }).waitFor();
  }
  await page.getByText("Kept as “two valves”.").waitFor({ state: "detached" });
  await page.mouse.move(5, 300);
  await picture(page, "page-runs");
  page.expected.push(/ERR_|WebSocket/); // the service is away for a moment
  await service.stop();
  await service.start();
  await page.reload();
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByRole("button", { name: "twice the inflow, rename run 2" }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "note on twice the inflow" }).inputValue(), "overflows at 12 s");
});

paged("a session is a folder with named experiments", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const stored = () => service.ask("GET", `/sessions/${id}/scenario`);
  const original = await stored();
  const folder = await page.textContent(".folder code");
  assert.ok(fs.existsSync(path.join(folder, "scenario.json")), folder);
  await page.getByRole("tab", { name: "Runs" }).click();
  const name = page.getByRole("textbox", { name: "name of the experiment" });
  await enter(name, "as it came");
  await page.getByRole("button", { name: "as it came", exact: true }).waitFor();
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(folder, "as it came.json"), "utf8")), original);
  await page.getByRole("tab", { name: "Settings" }).click();
  await enter(page.getByLabel("To", { exact: true }), "20");
  await eventually(async () => (await stored()).endTime, 20);
  await page.getByRole("tab", { name: "Runs" }).click();
  await enter(name, "short");
  await page.getByRole("button", { name: "as it came", exact: true }).click();
  await eventually(stored, original);
  await page.getByRole("button", { name: "short", exact: true }).click();
  await eventually(async () => (await stored()).endTime, 20);
  page.expected.push(/404/);
  await enter(name, "a/b");
  await page.getByText(/cannot be called|no '/).waitFor();
  await page.getByRole("button", { name: "remove experiment short" }).click();
  await page.getByRole("button", { name: "really remove experiment short?" }).click();
  await page.getByRole("button", { name: "short", exact: true }).waitFor({ state: "detached" });
  assert.ok(!fs.existsSync(path.join(folder, "short.json")));
});

paged("axe finds no barrier on any view", async (page) => {
  await page.goto(service.url);
  await page.waitForSelector(".card");
  assert.deepEqual(await barriers(page), [], "first view");
  await openExample(page, service, "alternating-bit");
  await runToEnd(page);
  await page.waitForSelector(".plot.events .chart");
  for (const colour of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: colour });
    for (const tab of ["Instance", "Settings", "Runs", "Analysis"]) {
      await page.getByRole("tab", { name: tab }).click();
      assert.deepEqual(await barriers(page), [], `${tab}, ${colour}`);
    }
    for (const drawer of [/problems|warning/, "Events", "Log", "JSON"]) {
      await page.getByRole("button", { name: drawer, exact: typeof drawer === "string" }).click();
      await page.waitForSelector(".drawer");
      assert.deepEqual(await barriers(page), [], `${drawer}, ${colour}`);
    }
    await page.getByRole("button", { name: "close" }).click();
    await page.locator(".block-head").first().click();
    assert.deepEqual(await barriers(page), [], `a block, ${colour}`);
  }
});
