// SPDX-License-Identifier: MIT
// Light, dark, or as the system has it.
import { app } from "./app.js";
import { keep, recall } from "./memory.js";

const ORDER = ["auto", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (app.get().theme === "auto" ? system.matches : app.get().theme === "dark");

export function applyTheme(theme = recall("theme", "auto")) {
  app.set({ theme: ORDER.includes(theme) ? theme : "auto" });
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

export function nextTheme() {
  const theme = ORDER[(ORDER.indexOf(app.get().theme) + 1) % ORDER.length];
  keep("theme", theme);
  applyTheme(theme);
}

system.addEventListener("change", () => applyTheme(app.get().theme));
