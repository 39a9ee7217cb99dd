// SPDX-License-Identifier: MIT
// The report of a run in a real browser: one file, nothing fetched.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { BUILD, calm, openBrowser, TANK } from "./rig.mjs";

let browser, folder, page;

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "report-test-"));
  execFileSync(path.join(BUILD, "tutti"), ["run", path.join(TANK, "scenario.json"), "--set", "maxLevel=3", "-q",
    "-o", path.join(folder, "tank.csv"), "--report", path.join(folder, "tank.html")]);
  browser = await openBrowser();
  page = await browser.page({ port: "" });
  await page.goto(`file://${folder}/tank.html`);
});
after(async () => {
  calm(page);
  await browser.end();
  fs.rmSync(folder, { recursive: true, force: true });
});

const plot = () => page.locator("svg.live").first();
const ticks = () => page.locator("svg.live").first().locator(".tx").first().locator("text").allTextContents();

/** Where something is in the first plot, as parts of its frame. */
async function spot(part) {
  const [x0, x1, y0, y1] = (await plot().locator("g.panel").first().getAttribute("data-f")).split(" ").map(Number);
  const box = await plot().boundingBox(), width = Number(await plot().getAttribute("width"));
  const scale = box.width / width;
  return [box.x + scale * (x0 + part * (x1 - x0)), box.y + scale * (y0 + y1) / 2];
}

test("it names what was simulated", async () => {
  const text = await page.locator("main").innerText();
  for (const part of ["watertank.fmu", "SHA-256", "maxLevel = 3", "--set maxLevel=3", "Jacobi".toLowerCase()])
    assert.ok(text.includes(part), part);
});

test("the pointer finds values", async () => {
  await plot().scrollIntoViewIfNeeded();
  await page.mouse.move(...await spot(0.5));
  await page.locator(".tip").waitFor();
  assert.match(await page.locator(".tip").innerText(), /^t = (49|50)[.\d]* s\n.+ = [-.\d]+/);
  assert.ok(await page.locator("path.cursor").count() > 1); // in every plot
  if (process.env.TUTTI_SHOTS) await page.screenshot({ path: path.join(process.env.TUTTI_SHOTS, "report-values.png") });
});

test("dragging zooms in, a double click out", async () => {
  const all = await ticks();
  assert.deepEqual([all[0], all.at(-1)], ["0", "100"]);
  await page.mouse.move(...await spot(0.2));
  await page.mouse.down();
  await page.mouse.move(...await spot(0.3));
  await page.mouse.move(...await spot(0.4));
  await page.mouse.up();
  const some = (await ticks()).map(Number);
  assert.ok(some.length > 3 && some[0] >= 19.5 && some.at(-1) <= 40.5, String(some));
  if (process.env.TUTTI_SHOTS) await page.screenshot({ path: path.join(process.env.TUTTI_SHOTS, "report-zoom.png") });
  await page.mouse.dblclick(...await spot(0.5));
  assert.deepEqual(await ticks(), all);
});

test("a curve is hidden by its name", async () => {
  const key = page.locator(".key").first(), curve = page.locator("g.panel").first().locator("[data-i='0'][data-v]").first();
  await key.click();
  assert.equal(await key.getAttribute("aria-pressed"), "false");
  assert.equal(await curve.isVisible(), false);
  await key.press("Enter");
  assert.equal(await curve.isVisible(), true);
});
