// SPDX-License-Identifier: MIT
// JSON in colours: a span for each token, of a text that need not be JSON (yet).
const MOST = 300000; // characters that are coloured
const TOKEN = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|\b(true|false|null)\b/g;
const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

/** JSON as HTML, a span for each token. */
export function highlight(text) {
  if (text.length > MOST) return escape(text);
  let out = "", last = 0;
  for (const m of text.matchAll(TOKEN)) {
    const [all, string, colon, number] = m;
    const kind = string ? (colon ? "key" : "str") : number ? "num" : "lit";
    const body = string ?? all;
    out += `${escape(text.slice(last, m.index))}<span class="j-${kind}">${escape(body)}</span>${escape(all.slice(body.length))}`;
    last = m.index + all.length;
  }
  return out + escape(text.slice(last));
}
