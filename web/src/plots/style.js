// SPDX-License-Identifier: MIT
// How curves look: colours that distinguish, dashes for runs beside the first.
import { family } from "../model/variables.js";

const LIGHT = ["#2f6db5", "#d1642c", "#2e8b57", "#a3459b", "#b8860b", "#c03a4b", "#3b8ea5", "#6b5bb5"];
const DARK = ["#79b0f0", "#f0965f", "#6cc890", "#d98bd2", "#e0b84c", "#f07f8b", "#6cc3d9", "#a79cf0"];
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

export const colour = (i, dark) => (dark ? DARK : LIGHT)[i % LIGHT.length];
export const dash = (i) => DASHES[i % DASHES.length];

/** Values that jump are drawn as steps. */
export const isStepped = (v) => family(v?.type) === "boolean" || v?.variability === "discrete" || /^(u?int|enum)/i.test(v?.type ?? "");

export function ink() {
  const css = getComputedStyle(document.documentElement);
  const get = (n) => css.getPropertyValue(n).trim();
  return { text: get("--text-soft"), paper: get("--paper"), grid: get("--line-soft"), line: get("--line"), bad: get("--bad"), accent: get("--accent"), font: `11px ${get("--font") || "sans-serif"}` };
}
