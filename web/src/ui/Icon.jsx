// SPDX-License-Identifier: MIT
// Icons, drawn with one pen.
const PATHS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  stop: "M6 6h12v12H6z",
  step: "M6 5v14l9-7zM18 5v14",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12",
  redo: "M15 7l5 5-5 5M20 12H10a6 6 0 0 0 0 12",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  arrange: "M4 5h6v6H4zM14 13h6v6h-6zM10 8h7v5",
  close: "M6 6l12 12M18 6L6 18",
  alert: "M12 4L2.5 20h19zM12 10v4M12 17v.5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  drop: "M12 16V5M7 9l5-5 5 5M4 16v4h16v-4",
  curve: "M3 17c5 0 5-11 9-11s4 11 9 11",
  down: "M6 9l6 6 6-6",
};

export function Icon({ name, size = 18 }) {
  const view = name === "undo" || name === "redo" ? "0 3 24 24" : "0 0 24 24";
  return <svg class="icon" width={size} height={size} viewBox={view} aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
