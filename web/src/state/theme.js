// SPDX-License-Identifier: MIT
// Light, dark, or as the system has it.
import { app } from "./app.js";
import { keep, recall } from "./memory.js";

const ORDER = ["auto", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

/** Colours are in place before those who draw are notified. */
export function applyTheme(wish = recall("theme", "auto")) {
  const theme = ORDER.includes(wish) ? wish : "auto";
  const dark = theme === "auto" ? system.matches : theme === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  app.set({ theme, dark });
}

export function nextTheme() {
  const theme = ORDER[(ORDER.indexOf(app.get().theme) + 1) % ORDER.length];
  keep("theme", theme);
  applyTheme(theme);
}

system.addEventListener("change", () => applyTheme(app.get().theme));
