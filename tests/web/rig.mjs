// SPDX-License-Identifier: MIT
// A live service and a browser before it.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

export const BUILD = path.resolve(process.argv.slice(2).find((a) => !a.startsWith("-")) ?? "build");
const fetched = createRequire(path.join(BUILD, "web", "package.json"));
const { chromium } = fetched("playwright-core");
export const MISBEHAVE = path.join(BUILD, "tests", "units", "misbehave.fmu");
export const ALLTYPES = path.join(BUILD, "tests", "units", "alltypes.fmu");
export const TANK = path.join(BUILD, "examples", "water-tank");

/** `tutti serve`, in a folder that goes with it. */
export class Service {
  /** own: its sessions are in a folder of its own, else where a user's are. */
  constructor(options = [], { own = true } = {}) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "page-test-"));
    this.options = own ? ["--dir", path.join(this.folder, "sessions"), ...options] : options;
    this.port = 0;
  }

  async start() {
    this.child = spawn(path.join(BUILD, "tutti"), ["serve", "--port", String(this.port), ...this.options],
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, TMPDIR: this.folder, XDG_DATA_HOME: this.folder, ASAN_OPTIONS: "handle_segv=0" } });
    this.ended = new Promise((ok) => this.child.on("exit", ok));
    this.port = await new Promise((ok, no) => {
      let said = "";
      this.child.stderr.on("data", (d) => {
        said += d;
        const found = /Server acquired port: \{(\d+)\}/.exec(said);
        if (found) ok(Number(found[1]));
      });
      this.child.on("exit", () => no(new Error(`tutti serve ended: ${said}`)));
    });
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  async stop() {
    this.child.kill("SIGTERM");
    await this.ended;
  }

  async end() {
    await this.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  async ask(method, where, body) {
    const answer = await fetch(`${this.url}/api/v1${where}`, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${where}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }
}

/** A browser; pages of it note everything that should not happen. */
export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  return {
    end: () => browser.close(),
    async page(service, options = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "light", reducedMotion: "reduce", ...options });
      page.setDefaultTimeout(60000);
      page.complaints = [];
      page.expected = []; // patterns of complaints a test provokes
      page.on("console", (m) => { if (["error", "warning"].includes(m.type())) page.complaints.push(`${m.type()}: ${m.text()}`); });
      page.on("pageerror", (e) => page.complaints.push(e.stack));
      page.on("request", (r) => { const u = new URL(r.url()); if (!["blob:", "data:"].includes(u.protocol) && u.port !== String(service.port)) page.complaints.push(`asked another host: ${r.url()}`); });
      return page;
    },
  };
}

/** Nothing on the console but what the test provoked. */
export function calm(page) {
  assert.deepEqual(page.complaints.filter((c) => !page.expected.some((e) => e.test(c))), []);
}

export async function openExample(page, service, name, scenario = "scenario.json") {
  const session = await service.ask("POST", "/sessions", { example: name, scenario });
  await page.goto(`${service.url}/#/session/${session.id}`);
  await page.waitForSelector(".block");
  return session.id;
}

/** Presses Run and waits until the run that this begins has ended. */
export async function runToEnd(page) {
  const answer = page.waitForResponse((r) => r.request().method() === "POST" && r.url().endsWith("/runs"));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const { id, name } = await (await answer).json();
  await page.waitForFunction((words) => document.querySelector(".outcome").textContent.startsWith(words), `${name || `run ${id}`}: `);
  return page.textContent(".outcome");
}

/** Waits until a condition holds, told by what was last seen; what is looked at
 * need not be there yet. */
export async function eventually(look, wanted) {
  let seen, failed;
  for (let i = 0; i < 600; i += 1) {
    failed = null;
    try {
      seen = await look();
      if (isDeepStrictEqual(seen, wanted)) return;
    } catch (error) { failed = error; }
    await new Promise((ok) => setTimeout(ok, 50));
  }
  if (failed) throw failed;
  assert.deepEqual(seen, wanted);
}

/** What is seen when it changes no more: a chart draws what it was told a frame or more later. */
export async function settled(look) {
  let seen = await look();
  for (let same = 0, i = 0; same < 5; i += 1) {
    assert.ok(i < 300, `it goes on changing: ${seen}`.slice(0, 200));
    await new Promise((ok) => setTimeout(ok, 50));
    const next = await look();
    same = isDeepStrictEqual(next, seen) ? same + 1 : 0;
    seen = next;
  }
  return seen;
}

/** How many pixels of a chart have a curve's colour (neither grey nor background). */
export function ink(page, index = 0) {
  return page.locator(".chart canvas").nth(index).evaluate((c) => {
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 128 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) n += 1;
    return n;
  });
}

/** What axe finds against the rules of WCAG 2.1, levels A and AA, on the page as it is. */
export async function barriers(page) {
  await page.evaluate(fs.readFileSync(fetched.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() => globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
  return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

/** The rows of a readout: {name: value}. */
export async function readouts(page) {
  await page.mouse.move(5, 5);
  return page.$$eval(".plot:not(.steps):not(.events) .readout li", (all) => Object.fromEntries(all.map((li) => [li.querySelector("span").textContent.trim(), li.querySelector("b").textContent])));
}

export const port = (page, side, ref) => page.locator(`[data-side="${side}"][data-port="${ref}"]`);
export const block = (page, unit) => page.locator(`[data-unit="${unit}"]`);

export async function dragTo(page, from, to) {
  const a = await from.boundingBox(), b = to.x === undefined ? await to.boundingBox() : { ...to, width: 0, height: 0 };
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 4 });
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 });
  await page.mouse.up();
}
