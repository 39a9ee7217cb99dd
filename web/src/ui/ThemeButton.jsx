// SPDX-License-Identifier: MIT
import { useApp } from "../state/app.js";
import { nextTheme } from "../state/theme.js";
import { Icon } from "./Icon.jsx";

const WORDS = { auto: "colours of the system", light: "light colours", dark: "dark colours" };

export function ThemeButton() {
  const theme = useApp((s) => s.theme);
  const label = `${WORDS[theme]}; change`;
  return <button type="button" class="tool" title={label} aria-label={label} data-theme-now={theme} onClick={nextTheme}><Icon name={theme} /></button>;
}
