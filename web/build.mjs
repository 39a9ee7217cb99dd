// SPDX-License-Identifier: MIT
// Builds the page into dist/ (or the folder given): index.html, app.js, app.css,
// icon.svg. These four files are all that the service serves, and what is
// checked in; tools/check_page.sh says whether they are what the sources build.
import { build, context } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
const out = process.argv.slice(2).find((a) => !a.startsWith("--")) ?? join(here, "dist");

const options = {
  absWorkingDir: here,
  entryPoints: { app: "src/main.jsx" },
  outdir: out,
  bundle: true,
  minify: !watch,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "eof",
  logLevel: "warning",
};

await mkdir(out, { recursive: true });
for (const name of ["index.html", "icon.svg"])
  await copyFile(join(here, "src", name), join(out, name));
if (watch)
  await (await context(options)).watch();
else
  await build(options);
