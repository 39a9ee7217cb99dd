// SPDX-License-Identifier: MIT
// Plots as an inspector of data: zoom, cursors, differences, pictures.
// PICTURES=FOLDER keeps screenshots of what is tested.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { block, calm, eventually, ink, openBrowser, openExample, readouts, runToEnd, settled, Service } from "./rig.mjs";

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

function paged(name, body, options) {
  test(name, async () => {
    const page = await browser.page(service, options);
    page.expected.push(/willReadFrequently/);
    await body(page);
    calm(page);
    await page.close();
  });
}

/** Where a share of a plot is on the screen. */
async function spot(page, index, x, y = 0.5) {
  const box = await page.locator(".plot .u-over").nth(index).boundingBox();
  return { x: box.x + box.width * x, y: box.y + box.height * y, width: box.width };
}

/** The time at a share of the first plot, as its caption has it. */
async function timeAt(page, share) {
  const at = await spot(page, 0, share);
  await page.mouse.move(at.x, at.y);
  return Number(/t = (.*) s/.exec(await page.locator(".at").first().textContent())?.[1]);
}

/** The labels of the first plot's axis across cannot be read: its pixels tell whether it changed. */
const pixels = (page, index = 0) => page.locator(".chart canvas").nth(index).evaluate((c) => c.toDataURL());
const changed = (page, before, index = 0) => eventually(async () => await pixels(page, index) !== before, true);

async function save(page, button, item) {
  await button.click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: item }).click()]);
  return [download.suggestedFilename(), fs.readFileSync(await download.path())];
}

paged("the wheel zooms, with Shift it moves, a box zooms across, keys too", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  await eventually(async () => Math.abs(await timeAt(page, 0.5) - 50) < 0.5, true);
  let at = await spot(page, 0, 0.25);
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, -Math.log(2) / Math.log(1.0015)); // twice as close, around 25 s
  await eventually(async () => Math.abs(await timeAt(page, 0.25) - 25) < 0.5 && Math.abs(await timeAt(page, 0.5) - 37.5) < 0.5, true);
  await page.keyboard.down("Shift");
  at = await spot(page, 0, 0.5);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x - at.width / 5, at.y, { steps: 4 }); // 10 s on
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await eventually(async () => Math.abs(await timeAt(page, 0.5) - 47.5) < 0.5, true);
  await page.locator(".chart").first().focus();
  await page.keyboard.press("0");
  await eventually(async () => Math.abs(await timeAt(page, 0.5) - 50) < 0.5, true);
  await page.mouse.move(5, 5);
  const whole = await settled(() => pixels(page));
  const from = await spot(page, 0, 0.5, 0.05);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 5, from.y + 50, { steps: 5 }); // upright: across only
  await page.mouse.up();
  await page.mouse.move(5, 5);
  await changed(page, whole);
  assert.equal(await page.getByRole("button", { name: "Whole time" }).count(), 0);
  const closer = await settled(() => pixels(page));
  await page.locator(".chart").first().focus();
  await page.keyboard.press("0");
  await changed(page, closer);
  const again = await settled(() => pixels(page));
  await page.keyboard.press("PageUp");
  await changed(page, again);
}, { viewport: { width: 1280, height: 900 } });

paged("two cursors state values and differences; curves hide when pressed", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  await eventually(async () => (await readouts(page))["tank.volumeIn"], "45");
  await page.getByRole("button", { name: "Cursors" }).click();
  const words = () => page.textContent(".cursors");
  assert.equal(await words(), "A 33.333 s, B 66.667 s, B − A 33.333 s, 0.03 Hz");
  const volume = () => page.locator(".readout li", { hasText: "volumeIn" }).locator("b").allTextContents();
  assert.deepEqual(await volume(), ["15", "30", "15"]); // 0.45 m3/s
  await page.locator(".chart").nth(1).focus();
  const at = await spot(page, 1, 0.1);
  await page.mouse.click(at.x, at.y); // the nearer one comes
  await eventually(async () => Math.abs(Number(/A (.*?) s/.exec(await words())[1]) - 10) < 0.2, true);
  await picture(page, "page-cursors");
  await page.keyboard.press("b"); // where the pointer is
  await eventually(async () => /B − A 0 s$/.test(await words()), true);
  await page.getByRole("button", { name: "Cursors" }).click();
  const full = await settled(() => ink(page, 1));
  await page.getByRole("button", { name: "tank.volumeOut" }).click();
  await eventually(async () => await ink(page, 1) < full * 0.7, true);
  assert.equal(await page.getByRole("button", { name: "tank.volumeOut" }).getAttribute("aria-pressed"), "false");
  await page.getByRole("button", { name: "tank.volumeOut" }).click();
  await eventually(async () => Math.abs(await ink(page, 1) - full) < full * 0.05, true);
});

paged("differences of runs are drawn, within a band of tolerance", async (page) => {
  const id = await openExample(page, service, "water-tank");
  await runToEnd(page);
  const scenario = await service.ask("GET", `/sessions/${id}/scenario`);
  await service.ask("PUT", `/sessions/${id}/scenario`, { ...scenario, parameters: { ...scenario.parameters, "{x2}.tank.inflow": 0.46 } });
  await page.reload();
  await page.waitForSelector(".block");
  await runToEnd(page);
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByRole("checkbox", { name: "show run 1" }).check();
  const row = page.locator(".difference tr", { hasText: "tank.volumeIn" });
  await row.waitFor();
  const tolerance = page.getByLabel("Tolerance", { exact: true });
  await tolerance.fill("few");
  await tolerance.press("Enter");
  await page.getByText("a number, or a percentage: 0.1 or 1 %").waitFor();
  await tolerance.fill("2"); // 0.01 m3/s, 1 m3 at the end
  await tolerance.press("Enter");
  await eventually(() => row.getAttribute("class"), "");
  await tolerance.fill("1 %"); // 2.2 %
  await tolerance.press("Enter");
  await eventually(() => row.getAttribute("class"), "wrong");
  const plain = await settled(() => pixels(page, 1));
  await page.getByRole("checkbox", { name: "draw the differences" }).check();
  await eventually(async () => (await readouts(page))["Δ tank.volumeIn run 2"], "1");
  await changed(page, plain, 1);
  await picture(page, "page-differences");
  await page.getByRole("button", { name: /colours of the system/ }).click(); // plots follow the theme
  const light = await settled(() => pixels(page, 1));
  await page.getByRole("button", { name: /^light colours/ }).click();
  await changed(page, light, 1);
});

paged("plots follow the system's colours", async (page) => {
  await openExample(page, service, "water-tank");
  await runToEnd(page);
  await eventually(async () => await ink(page) > 100, true);
  const curve = () => page.locator(".chart canvas").first().evaluate((c) => { // the mean of coloured pixels
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let sum = 0, n = 0;
    for (let i = 0; i < d.length; i += 4)
      if (d[i + 3] > 200 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) { sum += d[i] + d[i + 1] + d[i + 2]; n += 1; }
    return sum / n > 430 ? "bright" : "deep"; // #79b0f0 or #2f6db5
  });
  for (const [colorScheme, wanted] of [["light", "deep"], ["dark", "bright"], ["light", "deep"]]) {
    await page.emulateMedia({ colorScheme });
    await eventually(curve, wanted);
  }
});

paged("a plot over another variable; a tree of signals; pictures as SVG and PNG", async (page) => {
  await openExample(page, service, "van-der-pol");
  await runToEnd(page);
  await page.waitForSelector(".plot");
  await page.getByRole("button", { name: "choose variables" }).first().click();
  const instances = await page.$$eval(".chooser .signals > details > summary", (all) => all.map((s) => s.textContent));
  assert.deepEqual(instances, await page.$$eval(".block .title", (all) => all.map((t) => t.textContent)));
  const refs = await page.$$eval(".chooser input:checked", (all) => all.map((i) => i.closest("li").dataset.ref));
  const over = await page.$$eval(".over option", (all) => all.map((o) => o.value).filter(Boolean));
  const x = over.find((r) => !refs.includes(r)) ?? over[0];
  await page.getByLabel("over").selectOption(x);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".plot.xy svg path[stroke]");
  await eventually(async () => Number(await page.getAttribute(".plot.xy .chart", "data-points")) > 100, true);
  await page.mouse.move(5, 5);
  await picture(page, "page-xy");
  const menu = (k) => page.getByRole("button", { name: "picture of this plot" }).nth(k);
  const [svgName, svg] = await save(page, menu(0), "picture (SVG)");
  assert.match(svgName, /\.svg$/);
  assert.match(svg.toString(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<path stroke="#[\s\S]*<\/svg>\n$/);
  const [, png] = await save(page, menu(0), "picture (PNG)");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 960]);
  await page.getByRole("button", { name: "Plots by default" }).click();
  const [, time] = await save(page, menu(0), "picture (SVG)");
  assert.match(time.toString(), /time \(s\)/);
});

paged("a live plot follows the time", async (page) => {
  const id = await openExample(page, service, "water-tank");
  const scenario = await service.ask("GET", `/sessions/${id}/scenario`);
  await service.ask("PUT", `/sessions/${id}/scenario`, { ...scenario, endTime: null, realTime: { factor: 8 } });
  await page.reload();
  await page.waitForSelector(".block");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Follow" }).click();
  const shown = page.getByRole("textbox", { name: "seconds that are shown" });
  assert.equal(await shown.inputValue(), "10");
  await shown.fill("2");
  await shown.press("Enter");
  await page.waitForFunction(() => parseFloat(document.querySelector(".progress span")?.textContent) > 8);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  const now = Number(/paused at ([\d.]+) s/.exec(await page.textContent(".progress span"))[1]);
  await eventually(async () => { const t = await timeAt(page, 0.5); return Math.abs(t - (now - 1)) < 0.2 || `${t} of ${now}`; }, true);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await block(page, "{x2}.tank").waitFor();
});
