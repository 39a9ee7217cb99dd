// SPDX-License-Identifier: MIT

/** A number for people: few digits, no noise. */
export function show(x, digits = 5) {
  if (x == null || Number.isNaN(x)) return "–";
  if (typeof x === "boolean") return String(x);
  const a = Math.abs(x);
  if (a !== 0 && (a >= 1e6 || a < 1e-4)) return x.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, "e");
  return String(Number(x.toPrecision(digits)));
}

export function showSeconds(s) {
  if (s == null) return "–";
  if (s < 1e-3) return `${show(s * 1e6, 3)} µs`;
  if (s < 1) return `${show(s * 1e3, 3)} ms`;
  return s < 120 ? `${show(s, 3)} s` : `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
}

/** As options of the service count: 1G is 1 GiB. */
export function showBytes(n) {
  for (const unit of ["B", "KiB", "MiB"]) {
    if (n < 1024) return `${show(n, 3)} ${unit}`;
    n /= 1024;
  }
  return `${show(n, 3)} GiB`;
}

/** "3 runs", "1 run". */
export const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
