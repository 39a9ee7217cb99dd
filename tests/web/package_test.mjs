// SPDX-License-Identifier: MIT
// Structures of other tools on the page: opened, drawn where they were, saved.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { block, BUILD, calm, dragTo, eventually, openBrowser, openExample, runToEnd, Service } from "./rig.mjs";
import { drawnPlaces, withPlaces } from "../../web/src/diagram/drawn.js";

const MASSES = path.join(BUILD, "examples", "double-mass-spring-damper");
let service, browser;

before(async () => {
  service = await new Service().start();
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

const blocks = [{ unit: "a" }, { unit: "b" }];
const sizes = new Map([["a", { width: 100, height: 50 }], ["b", { width: 100, height: 80 }]]);

test("places of a file are taken as they are where blocks have room", () => {
  const scenario = { diagram: { a: [10, 20, 110, 70], b: [300, -10, 400, 70] } };
  assert.deepEqual(drawnPlaces(scenario, blocks, sizes), { a: { x: 10, y: 20 }, b: { x: 300, y: -10 } });
  assert.equal(withPlaces(scenario, blocks, sizes, drawnPlaces(scenario, blocks, sizes)), scenario);
});

test("small drawings grow around their middles until blocks have room", () => {
  // b needs 80 of 20: all is four times as large; a's middle is (20, 10), b's (60, 10)
  const scenario = { diagram: { a: [0, 0, 40, 20], b: [40, 0, 80, 20] } };
  assert.deepEqual(drawnPlaces(scenario, blocks, sizes), { a: { x: 30, y: 15 }, b: { x: 190, y: 0 } });
});

test("what is no place is none", () => {
  for (const wrong of [undefined, null, [], [1, 2, 3], [1, 2, 3, "4"], "1234"])
    assert.deepEqual(drawnPlaces({ diagram: { a: wrong } }, blocks, sizes), {});
  assert.deepEqual(withPlaces({ x: 1 }, blocks, sizes, { b: { x: 1, y: 2 } }), { x: 1, diagram: { b: [1, 2, 101, 82] } });
});

/** Where blocks are in the diagram: {unit: [x, y]}. */
const places = (page) => page.$$eval("[data-unit]", (all) => Object.fromEntries(all.filter((b) => b.classList.contains("block"))
  .map((b) => [b.dataset.unit, [parseFloat(b.style.left || b.style.transform.split("(")[1]), parseFloat(b.style.top || b.style.transform.split(",")[1])]])));

async function save(page, label) {
  await page.getByRole("button", { name: "Download" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: label }).click()]);
  return [download.suggestedFilename(), fs.readFileSync(await download.path())];
}

paged("a package is saved with its places, and opens where it was", async (page) => {
  await openExample(page, service, "water-tank");
  await eventually(() => page.locator(".block").count(), 2);
  const tank = block(page, "{x2}.tank").locator(".block-head");
  const at = await tank.boundingBox();
  await dragTo(page, tank, { x: at.x + 90, y: at.y + 60 });
  const before = await places(page);
  const [name, data] = await save(page, "package with FMUs (SSP 2.0)");
  assert.equal(name, "water-tank.ssp");
  const outcome = (await runToEnd(page)).replace(/, in .*/, "");
  await page.goto(service.url);
  await page.waitForSelector(".card");
  await page.setInputFiles("input[type=file]", [{ name: "from a colleague.ssp", mimeType: "application/zip", buffer: data }]);
  await page.waitForSelector(".block");
  await eventually(() => page.title(), "from a colleague · Tutti");
  await eventually(() => places(page), before);
  assert.equal((await runToEnd(page)).replace(/, in .*/, ""), outcome);
  // and from here on again, in the other version
  const [again, other] = await save(page, "package with FMUs (SSP 1.0)");
  assert.equal(again, "from a colleague.ssp");
  assert.ok(other.length > 1000);
});

paged("a project with its FMUs is dropped into a session; what is none is refused", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const drop = (files) => page.evaluate(async (list) => {
    const data = new DataTransfer();
    for (const { name, base64 } of list) data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    document.querySelector(".session").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
  const file = (name) => ({ name, base64: fs.readFileSync(path.join(MASSES, name)).toString("base64") });
  await drop(["msd1.fmu", "msd2.fmu", "masses.msim"].map(file));
  await block(page, "{msd1}.msd1").waitFor();
  await eventually(async () => Object.keys((await service.ask("GET", `/sessions/${id}/scenario`)).fmus), ["{msd1}", "{msd2}"]);
  assert.match(await runToEnd(page), /completed/);
  page.expected.push(/400 \(Bad Request\)/);
  await drop([{ name: "broken.ssp", base64: btoa("nothing") }]);
  await page.getByText("broken.ssp: not a readable zip archive").waitFor();
  await block(page, "{msd1}.msd1").waitFor();
});
